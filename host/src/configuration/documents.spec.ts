import { globSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";

import { markdownTable } from "@hostledger/runtime";
import { expect, it } from "vitest";

import { describeConfiguration, readConfiguration } from "./index.ts";

const root = new URL("../../../", import.meta.url);
const documents = globSync("{README.md,docs/*.md,docs/reference/*.md}", { cwd: fileURLToPath(root) });
const described = describeConfiguration(readConfiguration({}));
const settings = new Set(described.map(({ variable }) => variable));

it.each(documents)("%s names only existing settings", (document) => {
  const text = readFileSync(new URL(document, root), "utf8");
  const named = text.match(/\bHOSTLEDGER_[A-Z0-9_]*[A-Z0-9](?![A-Z0-9_])/gu) ?? [];
  // A secret may stand in a file.
  const unknown = named.filter((name) => !settings.has(name) && !settings.has(name.replace(/_FILE$/u, "")));
  expect(unknown).toEqual([]);
});

const introduction = `# Settings

<!-- Written by host/src/configuration/documents.spec.ts: change the files *.settings.ts beside it, then run \`vitest -u\`. -->

Settings are environment variables. \`hostledger config\` prints the values in force and hides secrets. A process checks all
settings when it starts, and does not start if one is wrong or unknown. To keep a secret in a file, name the file in the variable
with \`_FILE\` at its end, for example \`HOSTLEDGER_ADMIN_TOKEN_FILE=/run/secrets/admin\`.

The defaults are those of an installation with simulated providers.
`;

it("docs/reference/settings.md has every setting with its default and its meaning", async () => {
  const rows = described.map(({ variable, value, meaning }) => [
    `\`${variable}\``,
    ["", "(not set)", "(hidden)"].includes(value) ? "" : `\`${value}\``,
    meaning,
  ]);
  const document = `${introduction}\n${markdownTable([["Setting", "Default", "Meaning"], ...rows])}`;
  await expect(document).toMatchFileSnapshot(fileURLToPath(new URL("docs/reference/settings.md", root)));
});
