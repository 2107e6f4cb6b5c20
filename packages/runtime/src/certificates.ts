import { existsSync, readFileSync } from "node:fs";
import { isIP } from "node:net";

import { secretFile } from "./data-directory.ts";
import { writeFileAtomically } from "./files.ts";

/** A certificate and its key, PEM. */
export interface CertificateAndKey {
  readonly certificate: string;
  readonly key: string;
}

/** Whom a certificate is for. */
export interface CertificateSubject {
  readonly commonName: string;
  /** Host names and addresses. `localhost` and the loopback addresses are always in it, too. */
  readonly hosts: readonly string[];
  /** It is shown to servers as well, where both ends of a connection prove who they are. */
  readonly isClient?: boolean;
}

const dayMs = 86_400_000;
const authorityDays = 3_650;
/** The longest that clients take from any authority. */
const certificateDays = 397;
const strong = { keyType: "ec", algorithm: "sha256" } as const;

/** What makes certificates is an eighth of all modules of the program, and seldom needed: it is read when it is. */
const generator = async () => (await import("selfsigned")).generate;

/** Makes an authority that others are told to trust by its certificate, for ten years. */
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

/**
 * The authority that is kept in two files; makes it where there is none. The key comes first: a certificate without
 * its key would be of no use at the next start.
 */
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

/** Makes the certificate of a server, for 397 days. */
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

/** From yesterday on: clocks differ. */
function lasting(days: number): { readonly notBeforeDate: Date; readonly notAfterDate: Date } {
  return { notBeforeDate: new Date(Date.now() - dayMs), notAfterDate: new Date(Date.now() + days * dayMs) };
}
