"""Docstrings of fields, read from the source, since Python does not keep them."""

from __future__ import annotations

from pydantic import BaseModel, create_model

from fairdeal.validator.text.closed_model import read_attribute_docs, read_class_doc, unwrap_paragraphs


class Base(BaseModel):
    """The base."""

    kept: int
    """Kept by
    all who inherit."""
    told_anew: int = 0
    """Told by the base."""
    untold: int = 0

    class Inner(BaseModel):
        """Within."""

        field: int
        """Of the inner class."""


class Derived(Base):
    told_anew: int = 1
    """Told by the derived."""
    own: int = 2
    """First paragraph,
    two lines.

    Second paragraph."""


def test_own_and_inherited_fields() -> None:
    assert read_attribute_docs(Derived) == {
        "kept": "Kept by all who inherit.",
        "told_anew": "Told by the derived.",
        "own": "First paragraph, two lines.\n\nSecond paragraph.",
    }
    assert read_attribute_docs(Base) == {"kept": "Kept by all who inherit.", "told_anew": "Told by the base."}
    assert read_attribute_docs(Base.Inner) == {"field": "Of the inner class."}


def test_a_class_in_a_function() -> None:
    class Local(BaseModel):
        field: int
        """Of the local class."""

    assert read_attribute_docs(Local) == {"field": "Of the local class."}


def test_a_model_without_source_has_no_texts() -> None:
    assert read_attribute_docs(create_model("Made", __module__="no.such.module", field=(int, 0))) == {}
    assert read_attribute_docs(create_model("Made", __module__=__name__, field=(int, 0))) == {}


def test_the_summary_is_a_models_own() -> None:
    assert read_class_doc(Base) == "The base."
    assert not read_class_doc(Derived)


def test_flowing_keeps_paragraphs() -> None:
    assert unwrap_paragraphs("one\n    two\n\n    three\n      four\n") == "one two\n\nthree four"
    assert not unwrap_paragraphs(" \n ")
