import { apiKeyScopes } from "@hostledger/rpc";
import { markdownTable } from "@hostledger/runtime";

import { operations } from "../operations.ts";
import { describeOperations } from "./document.ts";
import { mayCall, recordTypesOf } from "../http/scopes.ts";

/** Renders gateway/openapi.json, which `/api/v1/openapi.json` serves. */
export function renderOpenApiDocument(): string {
  return `${JSON.stringify(describeOperations(operations), null, 2)}\n`;
}

const introduction = `# What an API key may call

Made by \`pnpm run generated:write\` from the table of operations; \`gateway/src/http/scopes.spec.ts\` tries every cell.

A key that staff issue without scopes may call everything. \`read\` allows every read except that of an authInfo, because it gives the
domain away. A write scope also allows the reads of its resource. \`dns:txt\` allows records of type TXT only, before and after the change.
A key never makes a key with more rights: no further scopes, no longer term, no further addresses.

- A missing scope is 403 \`missing_scope\`; \`scope\` names the first scope that would do.
- An address that the key does not list is 403 \`address_not_allowed\`.
- An expired or revoked key, or no key, is 401.
- A call about a resource of another account is 403 \`unauthorized\`, even if the key has all scopes.
`;

const heads = ["Operation", "No key", "Another account's key", "Key without scopes"];

/** Renders docs/reference/scopes.md: which scope and role may call each operation. */
export function renderScopesDocument(): string {
  const scopes = apiKeyScopes.map((scope) => `\`${scope}\``);
  const rows = operations.map((operation) => {
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
