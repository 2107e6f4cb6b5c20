import { staffRoles } from "@hostledger/core";
import { markdownTable } from "@hostledger/runtime";

import { staffPermissions, staffRolesOfMetrics } from "./staff-permissions.ts";

const introduction = `# What staff may do

<!-- Made by renderStaffRolesDocument() of packages/rpc; a test compares. Change staff-permissions.ts there instead. -->

Every member of staff has one role (\`hostledger admin staff add NAME --role ROLE\`). The staff listener, and for the audit the
console, asks this table for every call; a call that a role does not include is refused with \`unauthorized\`. The token in
\`DATA/admin.token\` acts as an owner until the first owner was added (ADR 0054), and is refused afterwards.

\`GET /metrics\` of the staff listener, and the names of the parts at its \`/readyz\`, are for the roles ${[...staffRolesOfMetrics].join(" and ")}.
`;

/** Renders docs/staff-roles.md, laid out as Prettier would leave it. */
export function renderStaffRolesDocument(): string {
  const sections = staffPermissions.map(({ service, roles }) => {
    const rows = service.methods.map(({ name, localName }) => [
      name,
      ...staffRoles.map((role) => (role === "owner" || roles[localName]?.includes(role) ? "yes" : "")),
    ]);
    return `\n## ${service.typeName}\n\n${markdownTable([["Method", ...staffRoles], ...rows])}`;
  });
  return `${introduction}${sections.join("")}`;
}
