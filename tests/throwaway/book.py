"""A book: a throw-away kind of the throw-away system."""

from typing import Annotated

from vastplan.schema.endpoint import Endpoint
from vastplan.schema.kind import Kind
from vastplan.schema.markers import IDENTITY
from vastplan.schema.types import MISSING, Count, Name, Spec


class Book(Spec):
    """A title and how many copies there are."""

    name: Annotated[Name | MISSING, IDENTITY] = MISSING
    copies: Count


KIND = Kind(Book, name="book", system="library", section="books", endpoint=Endpoint("/books"))
