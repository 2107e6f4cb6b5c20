import { account as messages } from "@hostledger/protocol";
import { apiKeyScopes, maximumKeyAddresses, maximumKeyLabel } from "@hostledger/rpc";
import { defined } from "@hostledger/runtime";
import { z } from "zod";

import { listed, listQuery, nameText } from "../../http/listing.ts";
import { operation } from "../../http/operation.ts";
import {
  areDistinct,
  done,
  id,
  inputExamples,
  laterTimestamp,
  line,
  otherwise,
  resourceId,
  shownText,
  timestamp,
} from "../../http/values.schema.ts";
import { present, view } from "../../http/view.codec.ts";

const scopesRule = `must list some of ${apiKeyScopes.join(", ")}`;
const addressesRule = "must be an array of IPv4 or IPv6 addresses, or networks such as 192.0.2.0/24";
const addressRule = "must be an IPv4 or IPv6 address, or a network such as 192.0.2.0/24";
const expiryRule = "must be a time such as 2030-01-31T12:00:00Z";

/** Body of `POST /keys`. The service validates times and networks. */
const createKeyBody = z.object({
  label: line({ maximum: maximumKeyLabel })
    .default("")
    .meta({ description: "Name of the key.", ...inputExamples("Web server") }),
  scopes: z
    .array(z.enum(apiKeyScopes, { error: `must be one of ${apiKeyScopes.join(", ")}` }), {
      error: scopesRule,
    })
    .min(1, { error: scopesRule })
    .max(apiKeyScopes.length, { error: scopesRule })
    .refine(areDistinct, { error: "must not list a scope twice" })
    .optional()
    .meta({
      description: "Scopes of the key. Default: the scopes of the key that creates it.",
      examples: [["dns:txt"]],
    }),
  expires_at: z
    .string({ error: otherwise(expiryRule) })
    .regex(/^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}(\.\d{1,6})?(Z|[+-]\d{2}:\d{2})$/, { error: expiryRule })
    .nullish()
    .meta({ description: "Time of expiry.", ...inputExamples("2090-01-31T12:00:00Z") }),
  addresses: z
    .array(
      z
        .string({ error: addressRule })
        .regex(/^[0-9A-Fa-f.:]{2,45}(\/\d{1,3})?$/, { error: addressRule })
        .meta({ examples: ["127.0.0.0/8"] }),
      { error: addressesRule },
    )
    .max(maximumKeyAddresses, { error: `must list at most ${String(maximumKeyAddresses)} addresses` })
    .refine(areDistinct, { error: "must not list an address twice" })
    .optional()
    .meta({
      description: "Addresses and networks that may use the key. Default: all.",
      examples: [["127.0.0.0/8"]],
    }),
});

const keyFields = {
  label: shownText("Web server"),
  scopes: z.array(z.string()).meta({ description: "Scopes of the key.", examples: [["dns:txt"]] }),
  expires_at: laterTimestamp.nullable(),
  addresses: z.array(z.string()).meta({
    description: "Addresses and networks that may use the key; empty means all.",
    examples: [["192.0.2.0/24"]],
  }),
  created_at: timestamp,
};

const createdKey = z
  .object({
    id,
    key: z
      .string()
      .nullable()
      .meta({
        examples: ["hlk_…"],
        description:
          "The API key, shown only in this answer. Null if the answer is repeated for an `Idempotency-Key`: delete the key and create another.",
      }),
    ...keyFields,
  })
  .meta({ id: "CreatedApiKey", description: "A new API key with its secret." });

const apiKey = z
  .object({
    id,
    prefix: shownText("hlk_7f3a", "First characters of the key."),
    ...keyFields,
    last_used_on: z
      .string()
      .nullable()
      .meta({
        examples: ["2026-11-21"],
        description: "Day of the last use (UTC); null if unknown.",
        format: "date",
      }),
  })
  .meta({ id: "ApiKey", description: "An API key without its secret." });

/** A key in a list. Without restrictions all scopes are shown. */
const keyView = view(messages.ApiKeySchema, apiKey, {
  id: ({ keyId }) => Number(keyId),
  scopes: ({ scopes }) => (scopes.length === 0 ? [...apiKeyScopes] : scopes),
});

/** Operations on the account's API keys (contract, second part). */
export const keyOperations = [
  operation({
    id: "listKeys",
    scopes: ["keys", "read"],
    route: "GET /keys",
    summary: "List the account's API keys that are not revoked, oldest first",
    request: { query: listQuery.extend({ name: nameText("Return only keys with this label.") }) },
    responses: { 200: z.array(apiKey) },
    refusals: [],
    answer: ({ query }, { accounts, call }) =>
      listed("/keys", query, async (page) => (await accounts.listApiKeys({ page }, call)).keys.map(keyView)),
  }),
  operation({
    id: "createKey",
    scopes: ["keys"],
    route: "POST /keys",
    summary: "Create an API key, which only this answer shows",
    description:
      "The new key never has more rights than the key that creates it: no further scopes, no later expiry and no further addresses. " +
      "The service does not store the key itself: a repeat of the request with its `Idempotency-Key` gets 201 with `key` null. " +
      "If you did not receive the key, delete it and create another.",
    request: { body: createKeyBody },
    responses: { 201: createdKey },
    secret: "key",
    refusals: ["unauthorized", "too-many-api-keys", "quota-exceeded"],
    async body({ body: { expires_at: expiry, scopes = [], addresses = [], label } }, { accounts, call }) {
      const wanted = { label, scopes, addresses, ...defined({ expiresAt: expiry ?? undefined }) };
      const created = await accounts.createApiKey(wanted, call);
      const shown = keyView(present(created.key, "CreateApiKeyResponse.key"));
      const { id: keyId, prefix: _, last_used_on: __, ...fields } = shown;
      return { id: keyId, key: created.apiKey, ...fields };
    },
  }),
  operation({
    id: "deleteKey",
    scopes: ["keys"],
    route: "DELETE /keys/{key}",
    summary: "Revoke an API key permanently",
    description: "A key can revoke itself and every key that it could have created.",
    request: { params: z.object({ key: resourceId.meta({ description: "Key id." }) }) },
    responses: { 200: done },
    message: "API key revoked",
    refusals: [],
    async body({ params: { key: keyId } }, { accounts, call }) {
      await accounts.deleteApiKey({ keyId }, call);
    },
  }),
];
