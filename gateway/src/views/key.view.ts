import { account as messages } from "@hostledger/protocol";
import { apiKeyScopes } from "@hostledger/rpc";
import type { z } from "zod";

import * as schemas from "../schemas/key.schema.ts";
import { present, view } from "./view.codec.ts";

/** A key in a list. Without restrictions all scopes are shown. */
export const keyView = view(messages.ApiKeySchema, schemas.apiKey, {
  id: ({ keyId }) => Number(keyId),
  scopes: ({ scopes }) => (scopes.length === 0 ? [...apiKeyScopes] : scopes),
});

/** A new key with its secret, which is shown once. */
export function createdKeyView({
  key,
  apiKey,
}: messages.CreateApiKeyResponse): z.infer<typeof schemas.createdKey> {
  const { prefix: _, last_used_on: __, id, ...shown } = keyView(present(key, "CreateApiKeyResponse.key"));
  return { id, key: apiKey, ...shown };
}
