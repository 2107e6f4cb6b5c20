import type { Client } from "@connectrpc/connect";
import type { account as messages } from "@hostledger/protocol";
import { defined } from "@hostledger/runtime";

import { listed } from "../http/listing.ts";
import { operation, type Operation } from "../http/operation.ts";
import { createdKey, createKeyBody, keyList, keyPath } from "../schemas/key.schema.ts";
import { listQuery, nameText } from "../schemas/page.schema.ts";
import { done } from "../schemas/values.schema.ts";
import { createdKeyView, keyView } from "../views/key.view.ts";

/** Operations on the account's API keys (contract, second part). */
export function keyRoutes(accounts: Client<typeof messages.AccountService>): Operation[] {
  return [
    operation({
      id: "listKeys",
      scopes: ["keys", "read"],
      tag: "Keys",
      method: "get",
      path: "/keys",
      summary: "List the API keys of the account that were not revoked, oldest first",
      request: { query: listQuery.extend({ name: nameText("Only the keys with this label.") }) },
      responses: { 200: keyList },
      refusals: [],
      handle: ({ query }, { call }) =>
        listed("/keys", query, async (page) => {
          const { keys } = await accounts.listApiKeys({ page }, call);
          return keys.map(keyView);
        }),
    }),
    operation({
      id: "createKey",
      scopes: ["keys"],
      tag: "Keys",
      method: "post",
      path: "/keys",
      summary: "Make an API key; it is shown once, in this answer",
      description:
        "It never has more than the key that makes it: neither scopes nor a longer term nor other addresses; and as much where nothing is asked. " +
        "Nothing keeps the key itself: a request repeated under its `Idempotency-Key` is answered 201 with `key` null. If you did not receive the key, delete it and make another.",
      request: { body: createKeyBody },
      responses: { 201: createdKey },
      secret: "key",
      refusals: ["unauthorized", "too-many-api-keys", "quota-exceeded"],
      async handle({ body: { label, scopes = [], expires_at: expiry, addresses = [] } }, { call }) {
        const wish = { label, scopes, addresses, ...defined({ expiresAt: expiry ?? undefined }) };
        return { status: 201, body: createdKeyView(await accounts.createApiKey(wish, call)) };
      },
    }),
    operation({
      id: "deleteKey",
      scopes: ["keys"],
      tag: "Keys",
      method: "delete",
      path: "/keys/{key}",
      summary: "Revoke an API key for good",
      description: "A key revokes the keys that it could have made, and itself.",
      request: { params: keyPath },
      responses: { 200: done },
      exampleMessage: "API key revoked",
      refusals: [],
      async handle({ params: { key: keyId } }, { call }) {
        await accounts.deleteApiKey({ keyId }, call);
        return { status: 200, body: { status: true, message: "API key revoked" } };
      },
    }),
  ];
}
