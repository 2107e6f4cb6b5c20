/** Makes the package that runs anywhere: the bundle, the files that it reads at run time, and the packages that have files. */
import { cpSync, existsSync, mkdirSync, readFileSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { basename, dirname, join, posix, relative, sep } from "node:path";

import { z } from "zod";

import { bundle, programs, type Places } from "./bundle.ts";

const root = dirname(import.meta.dirname);

/** Files of ours that are read at run time, from the top of the repository. */
const files = ["services/audit/src/console/page", "tools/verify-bundle"];

interface PackageOfFiles {
  readonly name: string;
  /** Package that depends on it. */
  readonly of: string;
  /** Paths in the package that nothing reads; their contents are left out too. */
  readonly without: RegExp;
}

/** Packages that are read at run time. */
const packages: readonly PackageOfFiles[] = [
  { name: "pdfmake", of: "packages/audit", without: /^(?:build|src|fonts)$/ },
  { name: "fontkit", of: "packages/audit", without: /^src$/ },
  {
    name: "@embedpdf/fonts-latin",
    of: "packages/audit",
    without: otherFontsThan("NotoSans-(?:Regular|Bold)"),
  },
  { name: "@embedpdf/fonts-sc", of: "packages/audit", without: otherFontsThan("NotoSansHans-Regular") },
  { name: "@embedpdf/fonts-kr", of: "packages/audit", without: otherFontsThan("NotoSansKR-Regular") },
  // Of Swagger UI the page names three files.
  {
    name: "swagger-ui-dist",
    of: "gateway",
    without:
      /^(?!package\.json$|LICENSE$|NOTICE$|swagger-ui-bundle\.js$|swagger-ui\.css$|favicon-32x32\.png$)/,
  },
];

/** Matches the unused files of a font package. @param used pattern of the names of its used fonts. */
function otherFontsThan(used: string): RegExp {
  return new RegExp(`^(?!(?:package\\.json|LICENSE|dist|dist/index\\.cjs|fonts|fonts/${used}\\.[ot]tf)$)`);
}

const manifest = z.object({
  version: z.string(),
  dependencies: z.record(z.string(), z.string()).default({}),
});
const readJson = (folder: string): object =>
  z.looseObject({}).parse(JSON.parse(readFileSync(join(folder, "package.json"), "utf8")));
const readManifest = (folder: string) => manifest.parse(readJson(folder));

/** Returns the launcher `hostledger.mjs`, with a message for a Node that is too old. */
const launcher = (major: number): string => `#!/usr/bin/env node
if (Number(process.versions.node.split(".")[0]) < ${String(major)}) {
  console.error(\`Hostledger needs Node ${String(major)} or newer; this is Node \${process.versions.node}. Install it, for example with: npm install --global node@${String(major)}\`);
  process.exit(1);
}
await import("./program.mjs");
`;

/** Builds the package into a folder, anew. */
export async function buildPackage(folder: string): Promise<void> {
  rmSync(folder, { recursive: true, force: true });
  await bundle({ program: programs.hostledger }, folder, places);
  for (const file of files) cpSync(join(root, file), join(folder, "files", file), { recursive: true });
  const copied = new Map<string, string>();
  for (const { name, of, without } of packages)
    copyPackage(join(root, of, "node_modules", name), { folder, below: folder, without, copied });
  const { version, major } = ownVersions();
  writeFileSync(join(folder, "hostledger.mjs"), launcher(major), { mode: 0o755 });
  const dependencies = Object.fromEntries([...copied].toSorted(([one], [other]) => (one < other ? -1 : 1)));
  const described = {
    name: "hostledger",
    version,
    description: "Event-sourced billing and provisioning core for hosting providers",
    license: "UNLICENSED",
    type: "module",
    bin: { hostledger: "hostledger.mjs" },
    engines: { node: `>=${String(major)}` },
    dependencies,
    bundleDependencies: Object.keys(dependencies),
  };
  writeFileSync(join(folder, "package.json"), `${JSON.stringify(described, null, 2)}\n`);
  cpSync(join(root, "LICENSE"), join(folder, "LICENSE"));
}

/** The files are read below the bundle, in the tree that the repository has. */
const places: Places = {
  ofSource: (path) => posix.join("files", relative(root, path).split(sep).join("/")),
  ofPackage: (name) => name,
};

interface Copying {
  readonly folder: string;
  /** The package that needs it. */
  readonly below: string;
  readonly without?: RegExp;
  /** Versions of the packages that are already copied, by name. */
  readonly copied: Map<string, string>;
}

/** Copies an installed package and, since most lie side by side, each of its dependencies once. */
function copyPackage(installed: string, { folder, below, without, copied }: Copying): void {
  const source = realpathSync(installed);
  const name = source.slice(source.lastIndexOf(`node_modules${sep}`) + `node_modules${sep}`.length);
  const { version, dependencies } = readManifest(source);
  const known = copied.get(name);
  if (known === version) return;
  // Another version lies below the package that needs it.
  if (known === undefined) copied.set(name, version);
  const target = join(known === undefined ? folder : below, "node_modules", name);
  mkdirSync(target, { recursive: true });
  cpSync(source, target, {
    recursive: true,
    filter: (path) => {
      const inside = relative(source, path).split(sep).join("/");
      return (
        inside === "" ||
        !(inside === "node_modules" || (without?.test(inside) ?? false) || basename(path).endsWith(".map"))
      );
    },
  });
  const beside = source.slice(0, -name.length - 1);
  const found = Object.keys(dependencies).flatMap((dependency) => {
    const places = [join(source, "node_modules", dependency), join(beside, dependency)];
    const path = places.find((place) => existsSync(place));
    return path === undefined ? [] : [[dependency, path] as const];
  });
  // npm must not fetch packages that the workspace leaves out (`pnpm-workspace.yaml`, overrides).
  const kept = Object.fromEntries(found.map(([dependency]) => [dependency, dependencies[dependency]]));
  const described = { ...readJson(source), dependencies: kept, devDependencies: {}, scripts: {} };
  writeFileSync(join(target, "package.json"), `${JSON.stringify(described, null, 2)}\n`);
  for (const [, path] of found) copyPackage(path, { folder, below: target, copied });
}

function ownVersions(): { readonly version: string; readonly major: number } {
  const { version } = readManifest(join(root, "packages/cli"));
  const { devDependencies } = z
    .object({ devDependencies: z.object({ node: z.string() }) })
    .parse(JSON.parse(readFileSync(join(root, "package.json"), "utf8")));
  return { version, major: Number(/\d+/.exec(devDependencies.node)?.[0]) };
}
