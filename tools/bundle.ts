/**
 * Makes one file each of programs that are spread over two thousand, with the packages that they need. A start spends more than half of
 * its time on finding and linking its modules, and of a bundle it links some twenty (ADR 0053).
 */
import { mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join, relative, resolve } from "node:path";

import { rolldown, type OutputAsset, type OutputChunk, type Plugin } from "rolldown";

/** Entry points of an operator's programs, by the name of their bundle. */
export const programs = { hostledger: "packages/cli/src/main.ts" } as const;

const root = dirname(import.meta.dirname);

/**
 * Bundles programs into a folder, `hostledger.mjs` for the one that is named `hostledger`.
 *
 * @param places where files that are read at run time (a page, a font) are. Without them the repository has to stay where it is
 * seen from the folder.
 * @param sources files from the top of the repository, by the name of their bundle.
 * @throws Error a module cannot be found or parsed.
 */
export async function bundle(
  sources: Readonly<Record<string, string>>,
  folder: string,
  places: Places = inRepository(folder),
): Promise<void> {
  const input = Object.fromEntries(
    Object.entries(sources).map(([name, source]) => [name, resolve(root, source)]),
  );
  await using build = await rolldown({
    input,
    platform: "node",
    // An optional import, which may be absent.
    external: ["pg-native"],
    plugins: [packagesWithFiles(places), placesOfSources(places)],
  });
  const { output } = await build.generate({
    entryFileNames: "[name].mjs",
    chunkFileNames: "[name]-[hash].mjs",
  });
  mkdirSync(folder, { recursive: true });
  for (const file of output) write(folder, file);
  const current = new Set(output.map(({ fileName }) => fileName));
  for (const entry of readdirSync(folder, { withFileTypes: true }))
    if (entry.isFile() && !current.has(entry.name)) rmSync(join(folder, entry.name));
}

/** Locations of the files that a bundled module reads at run time, relative to the bundle's folder. */
export interface Places {
  /** Of a source. */
  readonly ofSource: (path: string) => string;
  /** Returns the import of a package that reads its own files, found at a path. */
  readonly ofPackage: (name: string, path: string) => string;
}

/** The files are read where they are in the repository. */
const inRepository = (folder: string): Places => ({
  ofSource: (path) => relative(folder, path),
  ofPackage: (_name, path) => relative(folder, path),
});

/** Packages that read files of their own, as fonts, next to their modules: they are loaded from where they are installed. */
const withFiles: readonly string[] = ["pdfmake", "fontkit"];

function packagesWithFiles(places: Places): Plugin {
  return {
    name: "packages with files",
    async resolveId(source, importer) {
      if (!withFiles.includes(source)) return null;
      const found = await this.resolve(source, importer, { skipSelf: true });
      return found === null ? null : { id: places.ofPackage(source, found.id), external: true };
    },
  };
}

/**
 * Replaces locations relative to a source file, so that a bundled module finds its files. Worker threads are bundled
 * too, because they load their modules again.
 */
function placesOfSources(places: Places): Plugin {
  return {
    name: "places of sources",
    transform(code, id) {
      if (!code.includes("import.meta.url")) return null;
      return code
        .replaceAll(/new URL\("(\.\/[\w-]+)\.worker\.ts", import\.meta\.url\)/g, (_, thread: string) => {
          const script = resolve(dirname(id), `${thread}.worker.ts`);
          const reference = this.emitFile({ type: "chunk", id: script });
          return `new URL(import.meta.ROLLUP_FILE_URL_${reference})`;
        })
        .replaceAll(
          /\bimport\.meta\.url\b/g,
          `new URL(${JSON.stringify(places.ofSource(id))}, import.meta.url).href`,
        );
    },
  };
}

/** A process that starts meanwhile finds the file as it was or as it will be. */
function write(folder: string, file: OutputAsset | OutputChunk): void {
  const path = join(folder, file.fileName);
  const content = Buffer.from(file.type === "chunk" ? file.code : file.source);
  if (isSame(path, content)) return;
  const written = `${path}.${String(process.pid)}`;
  writeFileSync(written, content);
  renameSync(written, path);
}

function isSame(path: string, content: Buffer): boolean {
  try {
    return readFileSync(path).equals(content);
  } catch {
    return false;
  }
}
