"""The verbs that create or change objects: create, update, patch and apply."""

from __future__ import annotations

import json
import random
from typing import Any

from vastplan.sim.json_copy import json_copy
from vastplan.sim.kubernetes import admission, apply, lifecycle, names, patches, rules
from vastplan.sim.kubernetes.admission.attempt import AdmissionRequest
from vastplan.sim.kubernetes.call import APPLY, JSON, MERGE, PATCHES, STRATEGIC, KubernetesCall
from vastplan.sim.kubernetes.cluster import Object
from vastplan.sim.kubernetes.decoding import decode_object, read_known_fields, reread
from vastplan.sim.kubernetes.fields import Leaves
from vastplan.sim.kubernetes.managed_fields import after_update
from vastplan.sim.kubernetes.rules import custom
from vastplan.sim.kubernetes.status import (
    StatusCause,
    StatusError,
    bad_request,
    immutable,
    invalid,
    invalid_object,
    unsupported_media,
)
from vastplan.sim.wire import Response

_MODIFIED = "the object has been modified; please apply your changes to the latest version and try again"
_SERVERS = (
    "uid",
    "resourceVersion",
    "creationTimestamp",
    "deletionTimestamp",
    "deletionGracePeriodSeconds",
    "selfLink",
)
_ALPHABET = "bcdfghjklmnpqrstvwxz2456789"  # no vowels, so that no word appears by accident


def _place(call: KubernetesCall, body: Object) -> None:
    """Set the namespace from the URL; raises `StatusError` if the object's namespace or name disagrees with the URL."""
    metadata, target = body["metadata"], call.target
    if target.resource.namespaced:
        if metadata.setdefault("namespace", target.namespace) != target.namespace:
            raise bad_request("the namespace of the provided object does not match the namespace sent on the request")
    else:
        metadata.pop("namespace", None)
    if target.name and not metadata.get("name"):
        raise bad_request(
            f"the name of the object ({target.name} based on URL) was undeterminable: name must be provided"
        )
    if target.name and metadata["name"] != target.name:
        name = metadata["name"]
        raise bad_request(f"the name of the object ({name}) does not match the name on the URL ({target.name})")


def _attempt(
    call: KubernetesCall, operation: str, name: str, new: Object | None, old: Object | None
) -> AdmissionRequest:
    target = call.target
    return AdmissionRequest(
        call.cluster, target.resource, operation, target.namespace, name, new, old, target.subresource, call.dry_run,
        call.user, call.warnings,
    )  # fmt: skip


def _checked(call: KubernetesCall, body: Object, old: Object | None, causes: list[StatusCause]) -> None:
    """Raise `StatusError` if the object breaks a rule of its kind."""
    resource, rule = call.target.resource, rules.rules_for(call.target.resource)
    faults = names.metadata_causes(body["metadata"], resource.namespaced, rule.name) + causes
    if old is not None:
        faults += names.metadata_update_causes(body["metadata"], old["metadata"])
    if resource.custom:
        before = custom.UNSET if old is None else old
        faults += custom.definition_causes(call.cluster.table, resource.schema(call.cluster.table), body, before)
    if not call.target.subresource:
        if old is not None:
            faults += rule.check_update(body, old)
        faults += rule.check(body)
    if faults:
        raise resource.invalid(body["metadata"].get("name", ""), faults)


def create_object(call: KubernetesCall) -> Response:
    """POST to a collection."""
    body, causes = decode_object(call)
    return _create(call, body, causes, None)


def _create(call: KubernetesCall, body: Object, causes: list[StatusCause], entries: list[Object] | None) -> Response:
    cluster, resource = call.cluster, call.target.resource
    _place(call, body)
    if body["metadata"].get("resourceVersion"):
        raise StatusError(500, "", "resourceVersion should not be set on objects to be created")
    metadata = {key: value for key, value in body["metadata"].items() if key not in (*_SERVERS, "managedFields")}
    if not metadata.get("name") and metadata.get("generateName"):
        metadata["name"] = metadata["generateName"] + "".join(random.choices(_ALPHABET, k=5))  # nosec B311 # a name
    rule = rules.rules_for(resource)
    new = json_copy({**body, "metadata": metadata})
    rule.defaults(new)
    if resource.has_status:
        new.pop("status", None)
    as_sent = json_copy(new)
    rule.create(new)
    if resource.kind == "PersistentVolume":
        new["status"]["lastPhaseTransitionTime"] = cluster.now()
    new = cluster.new_object(resource, new, call.writer(), as_sent)
    if entries is not None:
        new["metadata"]["managedFields"] = entries
    attempt = _attempt(call, "CREATE", metadata.get("name", ""), None, None)
    new = admission.run_mutating(attempt, new)
    _checked(call, new, None, causes)
    attempt.new = new
    admission.run_validating(attempt)
    existing = cluster.get(resource, call.target.namespace, metadata["name"])
    if existing is not None:
        raise resource.exists(metadata["name"], bool(existing["metadata"].get("deletionTimestamp")))
    if not call.dry_run:
        new = cluster.put(resource, new)
        lifecycle.react_to_write(cluster, resource, new)
    return Response(201, new)


def update(call: KubernetesCall) -> Response:
    """PUT of an object."""
    target, resource = call.target, call.target.resource
    body, causes = decode_object(call)
    _place(call, body)
    old = call.cluster.get(resource, target.namespace, target.name)
    if old is None:
        if resource.create_on_put:  # whatever resourceVersion it names
            _numbered(body["metadata"].pop("resourceVersion", ""))
            return _create(call, body, causes, None)
        raise resource.not_found(target.name)
    if resource.conditional and not body["metadata"].get("resourceVersion"):
        cause = invalid("metadata.resourceVersion", 0, "must be specified for an update")
        raise invalid_object(resource.plural, resource.group, target.name, [cause])
    uid = body["metadata"].get("uid")
    if uid and uid != old["metadata"]["uid"]:
        why = f"Precondition failed: UID in precondition: {uid}, UID in object meta: {old['metadata']['uid']}"
        head = "StorageError: invalid object, Code: 4, AdditionalErrorMsg"
        raise resource.conflict(target.name, f"{head}: {why}")
    for field in ("deletionTimestamp", "deletionGracePeriodSeconds"):  # a PUT cannot change them
        body["metadata"].pop(field, None)
        if field in old["metadata"]:
            body["metadata"][field] = old["metadata"][field]
    return _update(call, body, old, causes, None)


def _update(
    call: KubernetesCall, body: Object, old: Object, causes: list[StatusCause], entries: list[Object] | None
) -> Response:
    cluster, target, resource = call.cluster, call.target, call.target.resource
    version = body["metadata"].get("resourceVersion", "")
    _numbered(version)
    if version and version != old["metadata"]["resourceVersion"]:
        raise resource.conflict(target.name, _MODIFIED)
    new = _prepared(call, json_copy(body), old)
    if entries is None:
        entries = after_update(Leaves(cluster.table, resource), call.writer(), old, new)
        if body["metadata"].get("managedFields") == [{}]:  # the documented way to clear all managers
            entries = []
    new["metadata"]["managedFields"] = entries
    if not entries:
        del new["metadata"]["managedFields"]
    _checked(call, new, old, causes)
    admission.run_validating(_attempt(call, "UPDATE", target.name, new, old))
    if new == old:
        return Response(200, old)
    if call.dry_run:
        return Response(200, new)
    new = cluster.put(resource, new)
    metadata = new["metadata"]
    held = metadata.get("finalizers") or (resource.kind == "Namespace" and new["spec"].get("finalizers"))
    if metadata.get("deletionTimestamp") and not held:
        cluster.drop(resource, new)
        lifecycle.removed(cluster, resource, new)
    else:
        lifecycle.react_to_write(cluster, resource, new)
    return Response(200, new)


def _numbered(version: str) -> None:
    if version and not version.isdigit():
        raise StatusError(500, "", f'strconv.ParseUint: parsing "{version}": invalid syntax')


def _prepared(call: KubernetesCall, new: Object, old: Object) -> Object:
    """The new object with the fields that only the server sets taken from the old one."""
    resource = call.target.resource
    if call.target.subresource:  # the rest of the object is ignored
        metadata = {**old["metadata"], "managedFields": old["metadata"].get("managedFields", [])}
        if resource.kind == "PersistentVolumeClaim":  # as a real server does
            metadata |= {name: new["metadata"][name] for name in ("labels", "annotations") if name in new["metadata"]}
        without_status = {key: value for key, value in old.items() if key != "status"}
        return {**without_status, "metadata": metadata} | ({"status": new["status"]} if "status" in new else {})
    rules.rules_for(resource).defaults(new)
    metadata = new["metadata"]
    metadata["name"] = call.target.name
    for field in ("uid", "creationTimestamp", "resourceVersion", "generation", "managedFields"):
        if field == "uid" and metadata.get(field):
            continue  # a changed uid is kept, to be refused later
        metadata.pop(field, None)
        if field in old["metadata"]:
            metadata[field] = old["metadata"][field]
    if resource.kind == "Namespace":
        new["spec"] = old["spec"]
    if resource.has_status:
        new.pop("status", None)
        if "status" in old:
            new["status"] = old["status"]
    if resource.first_generation is not None and _content(new) != _content(old):
        metadata["generation"] = old["metadata"].get("generation", 0) + 1
    return new


def _content(body: Object) -> Object:
    return {key: value for key, value in body.items() if key not in ("metadata", "status", "kind", "apiVersion")}


def patch(call: KubernetesCall) -> Response:
    """PATCH of an object, in any of the four formats."""
    target, resource = call.target, call.target.resource
    accepted = tuple(kind for kind in PATCHES if not (resource.custom and kind == STRATEGIC))
    if call.content_type not in PATCHES:
        raise StatusError(415, "UnsupportedMediaType", "415: Unsupported Media Type", {})
    if call.content_type not in accepted:
        raise unsupported_media(accepted)
    document = call.patch()
    old = call.cluster.get(resource, target.namespace, target.name)
    if call.content_type == APPLY:
        return _apply(call, document, old)
    if old is None:
        raise resource.not_found(target.name)
    if call.content_type == JSON:
        patched = patches.json_patch(old, document)
    elif call.content_type == MERGE:
        if not isinstance(document, dict):
            why = "json: cannot unmarshal array into Go value of type map[string]interface {}"
            if call.validation == "Ignore":  # then the patch itself is not checked
                raise patches.invalid_patch(json.dumps(document), why)
            raise bad_request(f"error decoding patch: {why}")
        patched = patches.merge_patch(old, document)
    else:
        patched = patches.strategic(call.cluster.table, resource.schema(call.cluster.table), old, document)
    body, causes = reread(call, patched, document)
    _place(call, body)
    if body["metadata"].get("uid", old["metadata"]["uid"]) != old["metadata"]["uid"]:
        raise resource.invalid(target.name, [immutable("metadata.uid", body["metadata"]["uid"])])
    forgotten = patched["metadata"].get("managedFields") == []
    return _update(call, body, old, causes, [] if forgotten else None)


def _apply(call: KubernetesCall, document: Any, old: Object | None) -> Response:
    target, resource = call.target, call.target.resource
    if not isinstance(document, dict) or (document.get("kind"), document.get("apiVersion")) != (
        resource.kind,
        resource.api_version,
    ):
        sent = document if isinstance(document, dict) else {}
        raise bad_request(f"invalid object type: {sent.get('apiVersion', '/')}, Kind={sent.get('kind', '')}")
    where = f"(/{target.name}; {resource.group}/{resource.version}, Kind={resource.kind})"
    try:
        intent, unknown, causes = read_known_fields(call, document)
    except ValueError as error:
        raise StatusError(500, "", f"failed to create typed patch object {where}: {error}") from None
    if unknown:
        listed = "\n".join(f".{path}: field not declared in schema" for path in unknown)
        raise StatusError(500, "", f"failed to create typed patch object {where}: {listed}")
    if intent["metadata"].get("managedFields") is not None:
        raise bad_request("metadata.managedFields must be nil")
    intent["metadata"].setdefault("name", target.name)
    _place(call, intent)
    merged, entries = apply.server_side_apply(
        call.cluster.table, resource, old, intent, call.writer("Apply"), call.force
    )
    if old is None:
        return _create(call, merged, causes, entries)
    if intent["metadata"].get("resourceVersion"):
        merged["metadata"]["resourceVersion"] = intent["metadata"]["resourceVersion"]
    return _update(call, merged, old, causes, entries)
