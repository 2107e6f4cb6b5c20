import { z } from "zod";

import { event, shape } from "../kernel/event-definition.ts";
import { id, instant, line, personal, sha256, text } from "../kernel/fields.ts";
import { scopesBeforePayments } from "./api-key-scopes.ts";

const anywhere: string[] = [];

/** First version of an API key, without scopes or restrictions. */
const apiKeyV1 = {
  keyId: id,
  keyHash: sha256,
  /** First characters of the key, which identify it in lists. */
  prefix: text,
  issuedAt: instant,
};

const apiKey = {
  ...apiKeyV1,
  /** Account whose personal-data key seals the label; null without a label. */
  accountId: id.nullable(),
  /** The customer's name for the key; may be empty. */
  label: personal(line(100)),
  /** Scopes; null for all. */
  scopes: z.array(line(32)).min(1).max(32).nullable(),
  /** The key is refused from this instant on; null if it never expires. */
  expiresAt: instant.nullable(),
  /** Allowed addresses and networks (CIDR); empty for all. */
  addresses: z.array(line(64)).max(20),
  operationId: text.nullable(),
};

/** An API key was issued, in the shapes of all versions. */
export const apiKeyIssued = event("An API key was issued. Only its hash is stored.", apiKey, {
  // A key of before the scope `payments` never gets it, also if it had all scopes.
  was: [
    shape(apiKey, {
      was: [
        shape(apiKeyV1),
        (data) => ({
          ...data,
          accountId: null,
          label: "",
          scopes: null,
          expiresAt: null,
          addresses: anywhere,
          operationId: null,
        }),
      ],
    }),
    (data) => ({ ...data, scopes: data.scopes ?? scopesBeforePayments }),
  ],
});
