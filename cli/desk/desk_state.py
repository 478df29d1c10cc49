"""State of a server that all requests share: settings, history, queue and rulebook."""

from __future__ import annotations

import threading
from functools import cached_property

from fairdeal.cli.common.shared_options import quote_texts
from fairdeal.cli.common.shell_completion import open_rulebook
from fairdeal.cli.desk.desk_settings import DeskSettings
from fairdeal.cli.desk.desk_store import DeskStore
from fairdeal.cli.desk.run_queue import RunQueue
from fairdeal.validator.rulebook.loading.rulebook import Rulebook


class Desk:
    """Server of one user, with everything that its requests share."""

    def __init__(self, settings: DeskSettings) -> None:
        self.settings = settings
        self.store = DeskStore(settings.database)
        self.queue = RunQueue(settings, self.store)
        self.evaluation = threading.Lock()
        """Lock of evaluations in this process, whose caches are not shared between threads."""

    @cached_property
    def rulebook(self) -> Rulebook:
        """Rulebook. Raises InputError if it cannot be read."""
        return open_rulebook(self.settings.rules)

    @cached_property
    def quoted_texts(self) -> dict[str, str]:
        """Words of clauses by id, from the folder of `--texts`. Raises InputError."""
        return quote_texts(self.settings.texts, self.rulebook)
