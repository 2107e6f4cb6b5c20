import { existsSync, readFileSync } from "node:fs";
import { isIP } from "node:net";

import { secretFile } from "./data-directory.ts";
import { writeFileAtomically } from "./files.ts";

/** A certificate with its key, PEM. */
export interface CertificateAndKey {
  readonly certificate: string;
  readonly key: string;
}

export interface CertificateSubject {
  readonly commonName: string;
  /** Host names and addresses. `localhost` and the loopback addresses are always added. */
  readonly hosts: readonly string[];
  /** True if the certificate is also used as a client certificate. */
  readonly isClient?: boolean;
}

const dayMs = 86_400_000;
const authorityDays = 3_650;
/** Maximum validity that clients accept. */
const certificateDays = 397;
const strong = { keyType: "ec", algorithm: "sha256" } as const;

/** Imports the generator on demand, because it is an eighth of all modules and rarely used. */
const generator = async () => (await import("selfsigned")).generate;

/** Creates an authority valid for ten years. */
export async function makeAuthority(commonName: string): Promise<CertificateAndKey> {
  const generate = await generator();
  const { cert, private: key } = await generate([{ name: "commonName", value: commonName }], {
    ...strong,
    ...lasting(authorityDays),
    extensions: [
      { name: "basicConstraints", cA: true, critical: true },
      { name: "keyUsage", keyCertSign: true, cRLSign: true, critical: true },
    ],
  });
  return { certificate: cert, key };
}

/** Reads or creates an authority. The key is written first, because a certificate alone would be useless. */
export async function openAuthority(
  files: { readonly certificate: string; readonly key: string },
  commonName: string,
): Promise<CertificateAndKey> {
  if (!existsSync(files.certificate) || !existsSync(files.key)) {
    const { certificate, key } = await makeAuthority(commonName);
    writeFileAtomically(files.key, key, 0o600);
    writeFileAtomically(files.certificate, certificate, 0o644);
  }
  const key = secretFile(files.key, () => "");
  return { certificate: readFileSync(files.certificate, "utf8"), key };
}

/** Creates a certificate valid for 397 days. */
export async function certify(
  authority: CertificateAndKey,
  { commonName, hosts, isClient = false }: CertificateSubject,
): Promise<CertificateAndKey> {
  const generate = await generator();
  const { cert, private: key } = await generate([{ name: "commonName", value: commonName }], {
    ...strong,
    ca: { key: authority.key, cert: authority.certificate },
    ...lasting(certificateDays),
    extensions: [
      { name: "basicConstraints", cA: false },
      { name: "keyUsage", digitalSignature: true },
      { name: "extKeyUsage", serverAuth: true, clientAuth: isClient },
      {
        name: "subjectAltName",
        altNames: [...new Set([...hosts, "localhost", "127.0.0.1", "::1"])].map((host) =>
          isIP(host) === 0 ? { type: 2 as const, value: host } : { type: 7 as const, ip: host },
        ),
      },
    ],
  });
  return { certificate: cert, key };
}

/** Returns the validity from yesterday on, because clocks differ. */
function lasting(days: number): { readonly notBeforeDate: Date; readonly notAfterDate: Date } {
  return { notBeforeDate: new Date(Date.now() - dayMs), notAfterDate: new Date(Date.now() + days * dayMs) };
}
