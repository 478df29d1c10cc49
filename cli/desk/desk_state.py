"""State of a server that all requests share: settings, history, queue and rulebook."""

from __future__ import annotations

import gc
import threading
from contextlib import suppress
from datetime import date
from functools import cached_property

from msgspec import Struct

from fairdeal.cli.common.shared_options import quote_texts
from fairdeal.cli.common.shell_completion import open_rulebook
from fairdeal.cli.desk.desk_settings import DeskSettings
from fairdeal.cli.desk.desk_store import DeskStore
from fairdeal.cli.desk.run_queue import RunQueue
from fairdeal.validator.forms.form_entries import SubmissionForm
from fairdeal.validator.forms.permitted_values import RequiredPlaces, collect_required_places
from fairdeal.validator.forms.submission_form import build_blank_form, find_compliant_submission
from fairdeal.validator.rulebook.loading.rulebook import Rulebook
from fairdeal.validator.text.diagnostics import InputError


class DraftForm(Struct, frozen=True, kw_only=True):
    """Form for the submissions of a game that take effect on a day."""

    form: SubmissionForm
    """Fields that the rules need."""
    required: RequiredPlaces
    """Places and values that the rules refer to."""


MOST_FORMS = 64
"""Limit of the forms that are kept."""


class Desk:
    """Server of one user, with everything that its requests share."""

    def __init__(self, settings: DeskSettings) -> None:
        self.settings = settings
        self.store = DeskStore(settings.database)
        self.queue = RunQueue(settings, self.store)
        self.evaluation = threading.Lock()
        """Lock of evaluations in this process, whose caches are not shared between threads."""
        self._forms: dict[tuple[str, date], DraftForm] = {}

    @cached_property
    def rulebook(self) -> Rulebook:
        """Rulebook. Raises InputError if it cannot be read."""
        return open_rulebook(self.settings.rules)

    @cached_property
    def quoted_texts(self) -> dict[str, str]:
        """Words of clauses by id, from the folder of `--texts`. Raises InputError."""
        return quote_texts(self.settings.texts, self.rulebook)

    def find_form(self, document: str, day: date) -> DraftForm:
        """Return the form of a document for a day; the forms used last are kept. Raises InputError."""
        form = self._forms.pop((document, day), None)
        if form is None:
            regulation = self.rulebook.regulation(document)
            example = find_compliant_submission(regulation, self.rulebook.folder)
            form = DraftForm(
                form=build_blank_form(regulation, example=example, licensee=None, effective=day),
                required=collect_required_places(regulation, day),
            )
        self._forms[document, day] = form
        for key in list(self._forms)[:-MOST_FORMS]:
            del self._forms[key]
        return form

    def warm_up(self) -> None:
        """Load what the first pages need, so that their first user need not wait for it."""
        with suppress(InputError), self.evaluation:
            for document in self.rulebook.documents:
                self.find_form(document, date.today())
        gc.freeze()  # a collection that visits the rulebook would take a tenth of a second of a request
