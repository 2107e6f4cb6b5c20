import { globSync, readFileSync } from "node:fs";
import { dirname, join, relative } from "node:path";

import { NarrowCompiler } from "./narrow-compiler.ts";

/** A piece of TypeScript in a README. */
export interface Snippet {
  /** The README and the number of the piece in it, for messages. */
  readonly name: string;
  /** The folder of the README, from which its imports are resolved. */
  readonly folder: string;
  readonly text: string;
  /** Expected output by lines, from the comments behind `// →`. */
  readonly prints: readonly string[];
}

/** READMEs of packages, services, the gateway and the host, from the root. */
export function readmesOf(root: string): readonly string[] {
  return globSync("{packages,services}/*/**/README.md", { cwd: root, exclude: isInstalled })
    .concat(globSync("{gateway,host}/README.md", { cwd: root }))
    .toSorted();
}

/** The `ts` blocks of a README. */
export function snippetsOf(root: string, readme: string): readonly Snippet[] {
  const blocks = readFileSync(join(root, readme), "utf8").matchAll(/^```ts\n(.*?)^```$/gms);
  return [...blocks].map(([, text = ""], index) => ({
    name: `${readme}, ${String(index + 1)}`,
    folder: dirname(readme),
    text,
    prints: [...text.matchAll(/\/\/ → (.*)$/gm)].map(([, line = ""]) => line),
  }));
}

/** Returns the compiler's errors of the snippets, each compiled as a file beside its README. */
export function problemsOf(root: string, snippets: readonly Snippet[]): readonly string[] {
  return new NarrowCompiler(root).problemsOf(
    snippets.map(({ folder, text }, index) => ({
      file: join(folder, `readme-snippet-${String(index)}.ts`),
      text,
    })),
  );
}

/** Returns the texts in backticks in a README, without code blocks: paths, names and commands. */
export function namesIn(root: string, readme: string): readonly string[] {
  const prose = readFileSync(join(root, readme), "utf8").replaceAll(/^```.*?^```$/gms, "");
  return [...prose.matchAll(/`([^`\n]+)`/g)].map(([, name = ""]) => name);
}

/** The targets of a README's links that are no addresses. */
export function linksIn(root: string, readme: string): readonly string[] {
  const links = readFileSync(join(root, readme), "utf8").matchAll(/\]\(([^)#:]+)(?:#[^)]*)?\)/g);
  return [...links].map(([, target = ""]) => target);
}

const pathPattern = /^(?:\.\.\/)*[\w.@*-]+(?:\/[\w.*-]+)*\/?$/;
const filePattern = /\.(?:ts|md|mjs|sql|proto|yaml)$/;
const rootFolders = /^(?:src|packages|services|test|docs|proto|tools|deploy)\//;

/** Returns true for a path of the project: a file, or a folder with its slash. `x.events.ts` is a placeholder. */
export function isPath(name: string): boolean {
  if (/(?:^|\/)x\./.test(name)) return false;
  return pathPattern.test(name) && (filePattern.test(name) || name.endsWith("/") || rootFolders.test(name));
}

/**
 * Returns true if the path exists from the root, from the README, from its sources or, for a file, anywhere below. A
 * star matches anything.
 */
export function isThere(root: string, readme: string, path: string): boolean {
  const folder = dirname(readme);
  const places = [path, join(folder, path), join(folder, "src", path), join(folder, "**", path)];
  return places.some((place) => globSync(place, { cwd: root, exclude: isInstalled }).length > 0);
}

/** Every word of the sources that people write: TypeScript, contracts and scripts. */
export function wordsOfSources(root: string): ReadonlySet<string> {
  const files = globSync("{packages,services,gateway,host,proto,test,tools}/**/*.{ts,proto,mjs}", {
    cwd: root,
    exclude: isInstalled,
  });
  return new Set(files.flatMap((file) => readFileSync(join(root, file), "utf8").match(/\w+/g) ?? []));
}

/** Returns true for an identifier: it has an inner capital, as functions, types and events do. */
export function isIdentifier(name: string): boolean {
  return /^[A-Za-z][a-z0-9]*(?:[A-Z][a-z0-9]*)+$/.test(name);
}

function isInstalled(path: string): boolean {
  return relative("", path).split("/").includes("node_modules");
}
