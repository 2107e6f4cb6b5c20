import { serviceScopes } from "@hostledger/core";
import { markdownTable } from "@hostledger/runtime";

import { callPermissions, type MayCall } from "./call-permissions.ts";
import { partNames } from "./service-keys.codec.ts";

const introduction = `# Who may call the services

<!-- Made by renderServiceScopesDocument() of packages/rpc; a test compares. Change call-permissions.ts there instead. -->

The listener for internal callers checks each call against this table. The columns are customers (through the gateway), the parts of the
deployment, and the scopes of credentials of internal teams
([internal-callers.md](../internal-callers.md)). A call that the table does not open is refused with \`permission_denied\`.
`;

/** Renders docs/reference/service-scopes.md, laid out as the formatter leaves it. */
export function renderServiceScopesDocument(): string {
  const columns: readonly MayCall[] = ["customer", ...partNames, ...serviceScopes];
  const sections = callPermissions.map(({ service, callers }) => {
    // A column in which nobody may call anything says nothing.
    const used = columns.filter((column) => Object.values(callers).some((each) => each.includes(column)));
    const rows = service.methods.map(({ name, localName }) => [
      name,
      ...used.map((column) => (callers[localName]?.includes(column) ? "yes" : "")),
    ]);
    return `\n## ${service.typeName}\n\n${markdownTable([["Method", ...used.map((each) => (isScope(each) ? `\`${each}\`` : each))], ...rows])}`;
  });
  return `${introduction}${sections.join("")}`;
}

function isScope(column: MayCall): boolean {
  return serviceScopes.some((scope) => scope === column);
}
