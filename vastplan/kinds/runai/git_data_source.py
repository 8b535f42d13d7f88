"""Git data source: a repository that Run:AI clones into the containers of workloads."""

from typing import Annotated

from pydantic import StringConstraints, model_validator

from vastplan.kinds.runai._assets import Description, Mount, Scoped, assets, data_source_kind
from vastplan.schema.markers import Opens, Refers, Since, Wire
from vastplan.schema.types import MISSING, ReferenceName, Says, Text

# An address that contains a user and a password is a secret. `git@HOST:PATH` has no password.
_Repository = Annotated[
    str,
    StringConstraints(
        max_length=1024, pattern=r"^([a-z]+://([^\s/:@]+@)?[^\s/@]+(/[^\s]*)?|[^\s/:@]+@[^\s/:@]+:[^\s]+)$"
    ),
    Says(
        "a repository, such as https://git.example.com/team/code.git or git@git.example.com:team/code.git, without a password",
        shown=False,
    ),
]


class GitDataSource(Scoped):
    """A data source of a Git repository, which Run:AI clones into the containers of workloads."""

    repository: Annotated[_Repository, Wire("spec", "repository"), Opens(at_create=False)]
    """Address of the repository, by HTTPS or SSH, without a password in it."""
    branch: Annotated[Text | None | MISSING, Wire("spec", "branch")] = MISSING
    """Branch of the repository that workloads get; null for none."""
    revision: Annotated[Text | None | MISSING, Wire("spec", "revision")] = MISSING
    """Revision of the repository, such as a tag or a commit, that workloads get; null for none."""
    credential: Annotated[
        ReferenceName | None | MISSING,
        Refers("generic_secret_credential", "password_credential"),
        Wire("spec", "credentialId"),
        Opens(at_create=False),
        Since("runai", "2.23", fix="write password for control planes before 2.23"),
    ] = MISSING
    """Password, or generic secret with an SSH key at `ssh`, for the repository; null for none. Excludes `password`."""
    password: Annotated[
        ReferenceName | None | MISSING,
        Refers("password_credential"),
        Wire("spec", "passwordAssetId"),
        Opens(at_create=False),
    ] = MISSING
    """Password for a private repository, on control planes before 2.23; null for none. Excludes `credential`."""
    mount: Annotated[Mount, Wire("spec", "path")]
    """Absolute path in containers at which workloads find the clone."""
    description: Description = MISSING
    """Description that Run:AI shows with the data source; null for none."""

    @model_validator(mode="after")
    def _one_credential(self) -> "GitDataSource":
        if all(given is not MISSING and given is not None for given in (self.credential, self.password)):
            raise ValueError("give either credential or password")
        return self


KIND = data_source_kind(
    GitDataSource,
    name="git_data_source",
    section="git_data_sources",
    endpoint=assets("datasource/git"),
)
