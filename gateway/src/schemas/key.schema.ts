import { apiKeyScopes, maximumKeyAddresses, maximumKeyLabel } from "@hostledger/rpc";
import { z } from "zod";

import { line } from "./text.schema.ts";
import {
  id,
  inputExamples,
  otherwise,
  resourceId,
  timestamp,
  shownText,
  laterTimestamp,
} from "./values.schema.ts";

export const keyPath = z.object({ key: resourceId.meta({ description: "Key id." }) });

const areDistinct = (texts: readonly string[]): boolean => new Set(texts).size === texts.length;

const scopesRule = `must list some of ${apiKeyScopes.join(", ")}`;
const addressesRule = "must be an array of IPv4 or IPv6 addresses, or networks such as 192.0.2.0/24";
const addressRule = "must be an IPv4 or IPv6 address, or a network such as 192.0.2.0/24";
const expiryRule = "must be a time such as 2030-01-31T12:00:00Z";

/** Body of `POST /keys`. The service validates times and networks. */
export const createKeyBody = z.object({
  label: line({ maximum: maximumKeyLabel })
    .default("")
    .meta({ description: "What the key is called.", ...inputExamples("Web server") }),
  scopes: z
    .array(z.enum(apiKeyScopes, { error: `must be one of ${apiKeyScopes.join(", ")}` }), {
      error: scopesRule,
    })
    .min(1, { error: scopesRule })
    .max(apiKeyScopes.length, { error: scopesRule })
    .refine(areDistinct, { error: "must not list a scope twice" })
    .optional()
    .meta({
      description: "What it is allowed; without them as much as the key that makes it.",
      examples: [["dns:txt"]],
    }),
  expires_at: z
    .string({ error: otherwise(expiryRule) })
    .regex(/^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}(\.\d{1,6})?(Z|[+-]\d{2}:\d{2})$/, { error: expiryRule })
    .nullish()
    .meta({ description: "When it expires.", ...inputExamples("2090-01-31T12:00:00Z") }),
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
    .meta({ description: "Where it may be used from; without them anywhere.", examples: [["127.0.0.0/8"]] }),
});

const keyFields = {
  label: shownText("Web server"),
  scopes: z.array(z.string()).meta({ description: "What it is allowed.", examples: [["dns:txt"]] }),
  expires_at: laterTimestamp.nullable(),
  addresses: z
    .array(z.string())
    .meta({ description: "Where it may be used from; empty for anywhere.", examples: [["192.0.2.0/24"]] }),
  created_at: timestamp,
};

/** Answer of `POST /keys` (contract, second part). */
export const createdKey = z
  .object({
    id,
    key: z
      .string()
      .nullable()
      .meta({
        examples: ["hlk_…"],
        description:
          "The key itself, shown this once; null in an answer repeated under an `Idempotency-Key`: delete the key and make another.",
      }),
    ...keyFields,
  })
  .meta({ id: "CreatedApiKey", description: "A new API key, with its secret." });

export const apiKey = z
  .object({
    id,
    prefix: shownText("hlk_7f3a", "First characters, to recognise it."),
    ...keyFields,
    last_used_on: z
      .string()
      .nullable()
      .meta({
        examples: ["2026-11-21"],
        description: "The day on which it was last used (UTC); null where that is not known.",
        format: "date",
      }),
  })
  .meta({ id: "ApiKey", description: "An API key, without its secret." });

export const keyList = z.array(apiKey);
