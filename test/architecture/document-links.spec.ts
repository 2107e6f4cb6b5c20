import { existsSync, globSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, it } from "vitest";

/** Each relative link of a document leads to a file, and its fragment to a heading of that file. */

const root = fileURLToPath(import.meta.resolve("../../"));
const documents = globSync("{*.md,{docs,deploy,gateway,host,packages,services,test}/**/*.md}", {
  cwd: root,
  exclude: (path) => path.includes("node_modules"),
});

interface Link {
  readonly file: string;
  readonly fragment: string;
}

function linksOf(document: string): readonly Link[] {
  const links = textOf(document).matchAll(/\]\((?![a-z]+:)([^)#\s]*)(?:#([^)\s]*))?\)/g);
  return [...links].map(([, file = "", fragment = ""]) => ({
    file: file === "" ? document : join(dirname(document), file),
    fragment,
  }));
}

/** A document without its blocks of code. */
function textOf(document: string): string {
  return readFileSync(join(root, document), "utf8").replaceAll(/^ *```.*?^ *```$/gms, "");
}

/** A heading as GitHub makes a fragment of it. */
function fragmentsOf(document: string): readonly string[] {
  return [...textOf(document).matchAll(/^#+ (.+)$/gm)].map(([, heading = ""]) =>
    heading
      .toLowerCase()
      .replaceAll(/[^\p{L}\p{N}\s_-]/gu, "")
      .replaceAll(" ", "-"),
  );
}

it("documents link to files and headings that exist", () => {
  expect(documents.length).toBeGreaterThan(40);
  const broken = documents.flatMap((document) =>
    linksOf(document)
      .filter(
        ({ file, fragment }) =>
          !existsSync(join(root, file)) ||
          (fragment !== "" && file.endsWith(".md") && !fragmentsOf(file).includes(fragment)),
      )
      .map(({ file, fragment }) => `${document}: ${file}${fragment === "" ? "" : `#${fragment}`}`),
  );
  expect(broken).toEqual([]);
});
