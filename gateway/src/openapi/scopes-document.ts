import { apiKeyScopes } from "@hostledger/rpc";
import { markdownTable } from "@hostledger/runtime";

import { mayCall, recordTypesOf } from "../http/scopes.ts";
import { describedOperations } from "./described-operations.ts";

const introduction = `# What an API key may call

Made by \`pnpm run generated:write\` from the table of operations; \`gateway/src/http/scopes.spec.ts\` tries every cell.

A key that staff issue without scopes is allowed everything. \`read\` allows every read but that of an auth code, which gives a
domain away; a scope of writes allows the reads of its own resource, too. \`dns:txt\` allows the records of type TXT alone: what
the record is, and what it shall be. A key never makes
another one that has more than itself: neither scopes, nor a longer term, nor other addresses. A call without a scope that it
needs is refused with 403 \`missing_scope\`, and \`scope\` names the first of the operation's own; one from an address that
the key does not list with 403 \`address_not_allowed\`; an expired or revoked key with 401.

Whatever its scopes, a key acts for its own account: another account's resource is 403 \`unauthorized\`, and without a key every
operation is 401.
`;

/** The columns before those of the scopes. */
const heads = ["Operation", "No key", "Another account's key", "Key without scopes"];

/** Renders docs/reference/scopes.md: operation × scope × role → allowed. */
export function renderScopesDocument(): string {
  const scopes = apiKeyScopes.map((scope) => `\`${scope}\``);
  const rows = describedOperations().map((operation) => {
    const { method, path, request } = operation;
    const ofOthers = request.params === undefined ? "its own" : "no";
    const cells = apiKeyScopes.map((scope) => {
      if (!mayCall([scope], operation)) return "–";
      return operation.tag === "DNS" && recordTypesOf([scope]).length > 0 ? "TXT" : "yes";
    });
    return [`\`${method.toUpperCase()} ${path}\``, "no", ofOthers, "yes", ...cells];
  });
  return `${introduction}\n${markdownTable([[...heads, ...scopes], ...rows])}`;
}
