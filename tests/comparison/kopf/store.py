"""The client of the store, for the operator in kopf."""

from typing import Any

import aiohttp


class StoreError(Exception):
    """The store failed, or did not respond."""

    reason = "StoreFailed"


class Refused(StoreError):
    """The store refuses the settings: the same request fails again."""

    reason = "BucketRefused"


class NotEmpty(StoreError):
    """The store does not delete a bucket with objects."""

    reason = "BucketNotEmpty"


class Store:
    def __init__(self, url: str) -> None:
        self.url = url
        self.session = aiohttp.ClientSession()

    async def close(self) -> None:
        await self.session.close()

    async def find(self, owner: str) -> dict[str, Any] | None:
        """Return the bucket of an owner."""
        found = await self._call("GET", f"/buckets?owner={owner}")
        return found[0] if found else None

    async def create(self, owner: str, settings: dict[str, str]) -> dict[str, Any]:
        """Create a bucket. A second call creates a second one."""
        return await self._call("POST", "/buckets", {"owner": owner, **settings})

    async def update(self, id: str, settings: dict[str, str]) -> dict[str, Any]:
        return await self._call("PUT", f"/buckets/{id}", settings)

    async def delete(self, id: str) -> None:
        await self._call("DELETE", f"/buckets/{id}")

    async def _call(self, method: str, path: str, body: Any = None) -> Any:
        kinds = {400: Refused, 409: NotEmpty}
        try:
            async with self.session.request(method, self.url + path, json=body) as answer:
                if answer.status >= 300:
                    text = f"{answer.status}: {await answer.text()}"
                    raise kinds.get(answer.status, StoreError)(text)
                return await answer.json()
        except (TimeoutError, aiohttp.ClientError) as error:
            raise StoreError(str(error)) from error
