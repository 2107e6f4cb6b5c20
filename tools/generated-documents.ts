import { execFileSync } from "node:child_process";
import { globSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";

import { renderEventDocuments } from "@hostledger/core";
import { renderOpenApiDocument, renderScopesDocument } from "@hostledger/gateway";
import { renderErrorDocument, renderServiceScopesDocument, renderStaffRolesDocument } from "@hostledger/rpc";

/** Committed files that are made from something else. */
export interface GeneratedDocument {
  readonly name: string;
  /** Where they lie, from the root. */
  readonly folder: string;
  /** Every file in the folder that this generator alone writes. */
  readonly pattern: string;
  /** The files as they should be, by path inside the folder. */
  readonly render: () => ReadonlyMap<string, string>;
}

/** Everything that is generated: the next one of its kind is the next entry. */
export const generatedDocuments: readonly GeneratedDocument[] = [
  {
    name: "error catalogue",
    folder: "docs/reference",
    pattern: "errors.md",
    render: () => new Map([["errors.md", renderErrorDocument()]]),
  },
  {
    name: "roles of staff",
    folder: "docs/reference",
    pattern: "staff-roles.md",
    render: () => new Map([["staff-roles.md", renderStaffRolesDocument()]]),
  },
  {
    name: "scopes of services",
    folder: "docs/reference",
    pattern: "service-scopes.md",
    render: () => new Map([["service-scopes.md", renderServiceScopesDocument()]]),
  },
  { name: "event schemas", folder: "docs/reference/events", pattern: "*.json", render: renderEventDocuments },
  {
    name: "OpenAPI document",
    folder: "gateway",
    pattern: "openapi.json",
    render: () => new Map([["openapi.json", renderOpenApiDocument()]]),
  },
  {
    name: "table of scopes",
    folder: "docs/reference",
    pattern: "scopes.md",
    render: () => new Map([["scopes.md", renderScopesDocument()]]),
  },
  {
    name: "protobuf code",
    folder: "packages/protocol/src/gen",
    pattern: "**/*.ts",
    render: renderProtobufCode,
  },
];

/** Runs buf as buf.gen.yaml says, into another folder: it puts its outputs below `--output`. */
function renderProtobufCode(): ReadonlyMap<string, string> {
  const folder = mkdtempSync(join(tmpdir(), "hostledger-generated-"));
  try {
    execFileSync("buf", ["generate", "--output", folder], {
      cwd: dirname(import.meta.dirname),
      stdio: "inherit",
    });
    const code = join(folder, "packages/protocol/src/gen");
    return new Map(
      globSync("**/*.ts", { cwd: code }).map((file) => [file, readFileSync(join(code, file), "utf8")]),
    );
  } finally {
    rmSync(folder, { recursive: true });
  }
}
