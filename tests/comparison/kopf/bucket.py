"""The Bucket operator with kopf."""

import asyncio
import base64
import datetime
import os
from typing import Any

import kopf
from kubernetes_asyncio import client, config

from store import Refused, Store, StoreError

INTERVAL = float(os.environ.get("RESYNC_SECONDS", "600"))
RETRY = 5.0
BUCKETS = ("storage.example.com", "v1", "buckets")
FINALIZER = "storage.example.com/bucket"
CHILD = {"storage.example.com/bucket": kopf.PRESENT}


@kopf.on.startup()
async def connect(memo: kopf.Memo, settings: kopf.OperatorSettings, **_: Any) -> None:
    settings.persistence.finalizer = FINALIZER
    await config.load_config()
    memo.api = client.ApiClient()
    memo.store = Store(os.environ["STORE_URL"])
    memo.wakers = {}


@kopf.on.cleanup()
async def disconnect(memo: kopf.Memo, **_: Any) -> None:
    await memo.store.close()
    await memo.api.close()


@kopf.index("secrets")
async def users(namespace: str, name: str, body: kopf.Body, **_: Any) -> Any:
    user = body.get("data", {}).get("user")
    return {(namespace, name): base64.b64decode(user).decode()} if user else {}


@kopf.index("configmaps", labels=CHILD)
async def children(namespace: str, name: str, body: kopf.Body, **_: Any) -> Any:
    owners = [owner["uid"] for owner in body.metadata.get("ownerReferences", [])]
    return {(namespace, name): (body.get("data", {}), owners)}


@kopf.on.event("secrets")
async def secret_changed(namespace: str, name: str, memo: kopf.Memo, **_: Any) -> None:
    wake(memo, ("secret", namespace, name))


@kopf.on.event("configmaps", labels=CHILD)
async def child_changed(namespace: str, name: str, memo: kopf.Memo, **_: Any) -> None:
    wake(memo, ("child", namespace, name))


@kopf.on.event(*BUCKETS)
async def bucket_changed(meta: kopf.Meta, namespace: str, name: str, memo: kopf.Memo, **_: Any) -> None:
    state = (meta["generation"], FINALIZER in meta.get("finalizers", []))
    if memo.get("state") != state:
        memo.state = state
        wake(memo, ("bucket", namespace, name))


def wake(memo: kopf.Memo, key: tuple[str, str, str]) -> None:
    for waker in memo.wakers.get(key, ()):
        waker.set()


@kopf.daemon(*BUCKETS)
async def keep(
    body: kopf.Body,
    spec: kopf.Spec,
    meta: kopf.Meta,
    namespace: str,
    name: str,
    stopped: kopf.DaemonStopped,
    users: kopf.Index,
    children: kopf.Index,
    memo: kopf.Memo,
    **_: Any,
) -> None:
    memo.lock = lock = memo.get("lock") or asyncio.Lock()
    waker = asyncio.Event()
    while not stopped:
        keys = [("bucket", namespace, name), ("child", namespace, name), ("secret", namespace, spec["secret"])]
        for key in keys:
            memo.wakers.setdefault(key, set()).add(waker)
        waker.clear()
        delay = None
        async with lock:
            # kopf starts a daemon before it has stored the finalizer, and lets it run during a deletion.
            if FINALIZER in meta.get("finalizers", []) and "deletionTimestamp" not in meta:
                delay = await reconcile(body, users, children, memo)
        await first_of(waker.wait(), stopped.wait(), timeout=delay)
        for key in keys:
            memo.wakers[key].discard(waker)
            if not memo.wakers[key]:
                del memo.wakers[key]


async def first_of(*waits: Any, timeout: float | None) -> None:
    tasks = [asyncio.ensure_future(wait) for wait in waits]
    await asyncio.wait(tasks, timeout=timeout, return_when=asyncio.FIRST_COMPLETED)
    for task in tasks:
        task.cancel()


async def reconcile(body: kopf.Body, users: kopf.Index, children: kopf.Index, memo: kopf.Memo) -> float | None:
    """Reconcile a bucket, and return the time until the next time."""
    conditions = Conditions(body)
    try:
        delay = await steps(body, conditions, users, children, memo)
    except (StoreError, client.ApiException) as error:
        conditions.set("Ready", False, getattr(error, "reason", "CallFailed"), str(error))
        delay = None if isinstance(error, Refused) else RETRY
    await write_status(body, conditions.list, memo)
    return delay


async def steps(
    body: kopf.Body, conditions: "Conditions", users: kopf.Index, children: kopf.Index, memo: kopf.Memo
) -> float | None:
    user = next(iter(users.get((body.meta.namespace, body.spec["secret"]), [])), None)
    if user is None:
        message = f"the Secret {body.spec['secret']} is missing, or has no key user"
        conditions.set("SecretFound", False, "SecretMissing", message)
        conditions.set("Ready", False, "SecretMissing", message)
        return None
    conditions.set("SecretFound", True, "Succeeded", "the Secret has a user")
    try:
        id = await ensure(body, user, memo.store)
    except StoreError as error:
        conditions.set("Stored", False, error.reason, str(error))
        raise
    conditions.set("Stored", True, "Succeeded", "the store has the bucket")
    try:
        await publish(body, {"id": id, "user": user}, children, memo.api)
    except client.ApiException as error:
        conditions.set("Published", False, "CallFailed", str(error))
        raise
    conditions.set("Published", True, "Succeeded", "the ConfigMap has the id and the user")
    conditions.set("Ready", True, "Succeeded", "the bucket can be used")
    return INTERVAL


async def ensure(body: kopf.Body, user: str, store: Store) -> str:
    owner = body.meta.uid
    settings = {"name": body.spec["name"], "region": body.spec["region"], "user": user}
    stored = await store.find(owner)
    if stored is None:
        stored = await store.create(owner, settings)
    elif any(stored[key] != value for key, value in settings.items()):
        stored = await store.update(stored["id"], settings)
    return stored["id"]


async def publish(body: kopf.Body, data: dict[str, str], children: kopf.Index, api: client.ApiClient) -> None:
    namespace, name = body.meta.namespace, body.meta.name
    known = next(iter(children.get((namespace, name), [])), None)
    if known == (data, [body.meta.uid]):
        return
    labels = {"storage.example.com/bucket": name}
    child = {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": name, "labels": labels}, "data": data}
    kopf.append_owner_reference(child, owner=body)
    maps = client.CoreV1Api(api)
    try:
        await maps.create_namespaced_config_map(namespace, child)
    except client.ApiException as error:
        if error.status != 409:
            raise
        await maps.replace_namespaced_config_map(name, namespace, child)


@kopf.on.delete(*BUCKETS)
async def remove(body: kopf.Body, uid: str, patch: kopf.Patch, memo: kopf.Memo, **_: Any) -> None:
    memo.lock = lock = memo.get("lock") or asyncio.Lock()
    async with lock:
        try:
            stored = await memo.store.find(uid)
            if stored is not None:
                await memo.store.delete(stored["id"])
        except StoreError as error:
            conditions = Conditions(body)
            for type in ["Stored", "Ready"]:
                conditions.set(type, False, error.reason, str(error))
            if conditions.list != body.status.get("conditions"):
                patch.status["conditions"] = conditions.list
            raise kopf.TemporaryError(str(error), delay=RETRY) from error


class Conditions:
    """The conditions of a bucket. A time moves with the status of its condition only."""

    def __init__(self, body: kopf.Body) -> None:
        self.generation = body.metadata["generation"]
        self.list = [dict(condition) for condition in body.status.get("conditions", [])]

    def set(self, type: str, is_true: bool, reason: str, message: str) -> None:
        now = datetime.datetime.now(datetime.UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
        condition = next((found for found in self.list if found["type"] == type), None)
        if condition is None:
            condition = {"type": type}
            self.list.append(condition)
        if condition.get("status") != str(is_true):
            condition["lastTransitionTime"] = now
        condition.update(status=str(is_true), reason=reason, message=message, observedGeneration=self.generation)


async def write_status(body: kopf.Body, conditions: list[dict[str, Any]], memo: kopf.Memo) -> None:
    status = {"observedGeneration": body.metadata["generation"], "conditions": conditions}
    if all(body.status.get(key) == value for key, value in status.items()):
        return
    group, version, plural = BUCKETS
    await client.CustomObjectsApi(memo.api).patch_namespaced_custom_object_status(
        group,
        version,
        body.meta.namespace,
        plural,
        body.meta.name,
        {"status": status},
        _content_type="application/merge-patch+json",
    )
