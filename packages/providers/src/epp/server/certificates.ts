import { isIP } from "node:net";

import { generate } from "selfsigned";

/** A certificate and its key, PEM. */
export interface CertificateAndKey {
  readonly certificate: string;
  readonly key: string;
}

const dayMs = 86_400_000;
const authorityDays = 3_650;
/** The longest that clients take from any authority. */
const certificateDays = 397;
const strong = { keyType: "ec", algorithm: "sha256" } as const;

/** Makes an authority that vouches for the test registry alone. */
export async function makeAuthority(): Promise<CertificateAndKey> {
  const { cert, private: key } = await generate(
    [{ name: "commonName", value: "Hostledger sandbox registry CA" }],
    {
      ...strong,
      notBeforeDate: new Date(Date.now() - dayMs),
      notAfterDate: new Date(Date.now() + authorityDays * dayMs),
      extensions: [
        { name: "basicConstraints", cA: true, critical: true },
        { name: "keyUsage", keyCertSign: true, cRLSign: true, critical: true },
      ],
    },
  );
  return { certificate: cert, key };
}

/**
 * Makes the certificate of a server.
 *
 * @param host its name or address; `localhost` and the loopback addresses are always in it.
 */
export async function certify(authority: CertificateAndKey, host: string): Promise<CertificateAndKey> {
  const hosts = [...new Set([host, "localhost", "127.0.0.1", "::1"])];
  const { cert, private: key } = await generate(
    [{ name: "commonName", value: "Hostledger sandbox registry" }],
    {
      ...strong,
      ca: { key: authority.key, cert: authority.certificate },
      notBeforeDate: new Date(Date.now() - dayMs),
      notAfterDate: new Date(Date.now() + certificateDays * dayMs),
      extensions: [
        { name: "basicConstraints", cA: false },
        { name: "keyUsage", digitalSignature: true },
        { name: "extKeyUsage", serverAuth: true },
        {
          name: "subjectAltName",
          altNames: hosts.map((name) =>
            isIP(name) === 0 ? { type: 2 as const, value: name } : { type: 7 as const, ip: name },
          ),
        },
      ],
    },
  );
  return { certificate: cert, key };
}
