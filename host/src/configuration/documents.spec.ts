import { readdirSync, readFileSync } from "node:fs";

import { expect, it } from "vitest";

import { describeConfiguration, readConfiguration } from "./index.ts";

const root = new URL("../../../", import.meta.url);
const documents = readdirSync(new URL("docs/", root)).filter((name) => name.endsWith(".md"));
const settings = new Set(describeConfiguration(readConfiguration({})).map(({ variable }) => variable));

it.each(["README.md", ...documents.map((name) => `docs/${name}`)])(
  "%s names no setting that there is not",
  (document) => {
    const text = readFileSync(new URL(document, root), "utf8");
    const named = text.match(/\bHOSTLEDGER_[A-Z0-9_]*[A-Z0-9](?![A-Z0-9_])/gu) ?? [];
    // A secret may stand in a file.
    const unknown = named.filter((name) => !settings.has(name) && !settings.has(name.replace(/_FILE$/u, "")));
    expect(unknown).toEqual([]);
  },
);
