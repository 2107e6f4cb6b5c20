import { BundleError } from "./bundle-error.ts";

/** What a bundle says of itself. */
export interface Manifest {
  readonly origin: string;
  readonly size: number;
  readonly createdAt: string;
  readonly program: string;
}

const format = "hostledger-audit-bundle";
const version = 1;

export function writeManifest({ origin, size, createdAt, program }: Manifest): string {
  return `${JSON.stringify({ format, version, origin, size, createdAt, program }, undefined, 2)}\n`;
}

/** Reads a manifest. @throws BundleError for another format or a newer version. */
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
  return { origin, size, createdAt: String(createdAt), program: String(program) };
}

function fieldsOf(text: string): ReadonlyMap<string, unknown> {
  try {
    const value: unknown = JSON.parse(text);
    return new Map(typeof value === "object" && value !== null ? Object.entries(value) : []);
  } catch (error) {
    throw new BundleError("The bundle's manifest.json is not JSON.", { cause: error });
  }
}
