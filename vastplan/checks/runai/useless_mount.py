"""RAI-08: a bucket with a mount that no workload of Run:AI finds."""

from collections.abc import Iterator

from vastplan.checks.check import Check, Violation
from vastplan.checks.facts import Facts
from vastplan.kinds.compose._bucket_mounts import lacks_a_key
from vastplan.kinds.runai.project import namespace_of
from vastplan.model.finding import Severity
from vastplan.model.value import Ref


def _run(facts: Facts) -> Iterator[Violation]:
    for bucket in facts.written.all("bucket"):
        project = lacks_a_key(bucket, facts.scope)
        entry = facts.objects.get(Ref(project.target)) if project is not None else None
        if entry is not None:
            text = f"has mount: {bucket.values['mount']}, and workloads of project {project} do not find it there: no key is delivered"
            namespace = namespace_of({"name": entry.called, **entry.values})
            yield Violation(bucket, text, fix=f"write deliver: {{secret: {namespace}/s3}}, or protocols: [S3, NFS]")


CHECK = Check(
    code="RAI-08",
    title="a bucket that Run:AI does not mount",
    severity=Severity.WARNING,
    why=(
        "Run:AI mounts a bucket by S3 with a key, and no key is delivered: mount has an effect only in exports for SkyPilot, and workloads "
        "see an empty directory, or none."
    ),
    fix="write deliver: {secret: NAMESPACE/NAME} in the namespace of the project, or protocols: [S3, NFS]",
    source="Run:AI API 2.24, asset/datasource/s3: accessKeyAssetId; inferred where it is left out",
    run=_run,
)
