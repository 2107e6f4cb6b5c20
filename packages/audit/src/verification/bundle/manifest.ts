import { BundleError } from "../log-source.ts";

export interface Manifest {
  readonly origin: string;
  readonly size: number;
  readonly createdAt: string;
  readonly program: string;
  /** SHA-256 in hexadecimal by path, of every file except the manifest and its note; undefined in version 1. */
  readonly files: ReadonlyMap<string, string> | undefined;
}

const format = "hostledger-audit-bundle";
/** Current version. Version 1, which lists no files, can be read; verification reports the missing coverage. */
const version = 2;

export function writeManifest({ origin, size, createdAt, program, files = new Map() }: Manifest): string {
  const listed = Object.fromEntries([...files].toSorted(([left], [right]) => (left < right ? -1 : 1)));
  const fields = { format, version, origin, size, createdAt, program, files: listed };
  return `${JSON.stringify(fields, undefined, 2)}\n`;
}

/** Parses a manifest. @throws BundleError for another format or a newer version */
export function readManifest(text: string): Manifest {
  const fields = fieldsOf(text);
  if (fields.get("format") !== format) throw new BundleError("This is no bundle of Hostledger's audit log.");
  const found = fields.get("version");
  if (typeof found !== "number" || found > version) {
    throw new BundleError(
      `The bundle has version ${String(found)}; this program reads version ${String(version)}. Use a newer Hostledger.`,
    );
  }
  const [origin, size, createdAt, program] = ["origin", "size", "createdAt", "program"].map((name) =>
    fields.get(name),
  );
  if (typeof origin !== "string" || typeof size !== "number" || !Number.isSafeInteger(size) || size < 0)
    throw new BundleError("The bundle's manifest.json does not name its origin and size.");
  const files = found === 1 ? undefined : readFiles(fields.get("files"));
  return { origin, size, createdAt: String(createdAt), program: String(program), files };
}

/** Parses the file list. Only paths inside the bundle are accepted. */
function readFiles(value: unknown): ReadonlyMap<string, string> {
  const damaged = new BundleError("The bundle's manifest.json does not list its files.");
  if (typeof value !== "object" || value === null) throw damaged;
  return new Map(
    Object.entries(value).map(([path, hash]: [string, unknown]) => {
      const isBelow = path.split("/").every((part) => /^[\w.-]+$/u.test(part) && !/^\.+$/u.test(part));
      if (!isBelow || typeof hash !== "string" || !/^[0-9a-f]{64}$/u.test(hash)) throw damaged;
      return [path, hash];
    }),
  );
}

function fieldsOf(text: string): ReadonlyMap<string, unknown> {
  try {
    const value: unknown = JSON.parse(text);
    return new Map(typeof value === "object" && value !== null ? Object.entries(value) : []);
  } catch (error) {
    throw new BundleError("The bundle's manifest.json is not JSON.", { cause: error });
  }
}
