import { admin } from "@hostledger/protocol";
import type { StaffClient } from "@hostledger/rpc";

import { parseId, parseNames } from "../arguments/value-parsers.ts";
import { wrongUsage } from "../exit-code.ts";
import { jsonInteger } from "../output/json.ts";
import { documentOf, viewOf, type Document } from "../output/message-document.ts";
import { argument, flag, option, optionOr } from "../staff/command-line.codec.ts";
import { call, custom, noun } from "../staff/staff-table.ts";

const { issueApiKey, revokeApiKey } = admin.AccountAdminService.method;

const keyDocument = (key: admin.ApiKey): Document => ({
  ...documentOf(admin.ApiKeySchema, key),
  scopes: key.scopes.length === 0 ? null : key.scopes,
});

const keys = viewOf(
  admin.ApiKeySchema,
  {
    key: "keyId",
    prefix: "prefix",
    issued: "issuedAt",
    revoked: "revokedAt",
    "last used": "lastUsedOn",
    label: "label",
    scopes: ({ scopes }) => scopes.join(",") || "all",
    expires: "expiresAt",
    addresses: ({ addresses }) => addresses.join(","),
  },
  keyDocument,
);

const exposedKeys = viewOf(
  admin.ExposedApiKeySchema,
  {
    account: "accountId",
    key: { right: ({ key }) => key && jsonInteger(key.keyId) },
    prefix: ({ key }) => key?.prefix,
    issued: ({ key }) => key?.issuedAt,
    revoked: ({ key }) => key?.revokedAt,
    "last used": ({ key }) => key?.lastUsedOn,
    label: ({ key }) => key?.label,
    scopes: ({ key }) => key?.scopes.join(",") ?? "all",
    expires: ({ key }) => key?.expiresAt,
    addresses: ({ key }) => key?.addresses.join(","),
  },
  ({ accountId, key }) => ({ account_id: jsonInteger(accountId), ...(key && keyDocument(key)) }),
);

export const addKeyCommands = noun("key", "API keys of accounts", [
  call(["issue", "issue an API key; it is shown only once"], issueApiKey, {
    inputs: {
      accountId: argument("<account>", "account id", parseId),
      label: optionOr("--label <label>", "name of the key", String, ""),
      scopes: optionOr(
        "--scopes <scopes>",
        "scopes of the key, for example read,dns:txt; default: all",
        parseNames,
        [],
      ),
      expiresAt: option(
        "--expires <time>",
        "when the key expires, for example 2030-01-31T12:00:00Z; default: never",
      ),
      addresses: optionOr(
        "--addresses <addresses>",
        "addresses and networks from which the key may be used; default: any",
        parseNames,
        [],
      ),
    },
    text: ({ keyId, apiKey }) => `Key ${String(keyId)}, shown this once:\n${apiKey}\n`,
  }),
  call(["revoke", "revoke an API key for good"], revokeApiKey, {
    inputs: { keyId: argument("<key-id>", "id of the key, as listed", parseId) },
    text: ({ keyId }) => `Key ${String(keyId)} is revoked.\n`,
  }),
  custom(
    ["list", "list the keys of an account, revoked ones too"],
    {
      accountId: argument<bigint | undefined>("[account]", "account id; not with --exposed", parseId),
      exposed: flag(
        "--exposed",
        "list the keys in force of all accounts whose stored answer could once be read: replace them",
      ),
    },
    async ({ accounts }, { accountId }) =>
      accountId === undefined
        ? exposedKeys.list(await listExposed(accounts))
        : keys.list((await accounts.listApiKeys({ accountId })).keys),
    ({ accountId, exposed }) => {
      if (exposed === (accountId !== undefined)) throw wrongUsage("Name an account, or ask for --exposed.");
    },
  ),
]);

async function listExposed(accounts: StaffClient["accounts"]): Promise<readonly admin.ExposedApiKey[]> {
  const found: admin.ExposedApiKey[] = [];
  let next: bigint | undefined = 0n;
  while (next !== undefined) {
    const { keys: some, nextPosition } = await accounts.listExposedApiKeys({ afterPosition: next });
    found.push(...some);
    next = nextPosition;
  }
  return found;
}
