import { Code } from "@connectrpc/connect";
import { rejectionCatalogue } from "@hostledger/core";
import { markdownTable } from "@hostledger/runtime";

import { isRejectionCode, rejectionStatus, restCode } from "./rejection-table.ts";

const introduction = `# Errors

<!-- Made by renderErrorDocument() of packages/rpc; a test compares. Change the catalogue in packages/core instead. -->

Every refusal has one code of this closed catalogue. REST answers it as
\`{"status": false, "error": "<sentence>", "code": "<code>"}\` with the HTTP status below; Connect and gRPC answer the
Connect code, with a \`hosting.common.v1.Rejection\` as its detail, whose \`code\` has dashes for underscores.
`;

/** Renders docs/reference/errors.md, laid out as the formatter leaves it. */
export function renderErrorDocument(): string {
  const heading = ["Code", "HTTP", "Connect", "Meaning", "What the client does"];
  const rows = Object.keys(rejectionCatalogue)
    .filter(isRejectionCode)
    .map((code) => {
      const { sentence, clientAction } = rejectionCatalogue[code];
      const { connect, http } = rejectionStatus[code];
      return [`\`${restCode(code)}\``, String(http), `\`${connectName(connect)}\``, sentence, clientAction];
    });
  return `${introduction}\n${markdownTable([heading, ...rows])}`;
}

/** Returns the code's name in the Connect protocol, for example `failed_precondition`. */
function connectName(code: Code): string {
  return Code[code].replaceAll(/(?<!^)[A-Z]/g, "_$&").toLowerCase();
}
