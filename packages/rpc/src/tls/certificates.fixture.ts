import type { RpcTls } from "./tls.ts";

/** Options of a test certificate. */
interface RequestedCertificate {
  /** Host name or IPv4 address. Default: 127.0.0.1 */
  readonly host?: string;
  /** True for a certificate that expired a minute ago. */
  readonly expired?: boolean;
}

/** An authority for tests, and the certificates that it vouches for. */
export interface TestAuthority {
  readonly ca: string;
  certify(requested?: RequestedCertificate): Promise<Required<RpcTls>>;
}

const dayMs = 86_400_000;
const strong = { keyType: "ec", algorithm: "sha256" } as const;

export async function testAuthority(name: string): Promise<TestAuthority> {
  // Specs of services enter by the same door, and have no use for it.
  const { generate } = await import("selfsigned");
  const authority = await generate([{ name: "commonName", value: name }], {
    ...strong,
    extensions: [
      { name: "basicConstraints", cA: true, critical: true },
      { name: "keyUsage", keyCertSign: true, cRLSign: true, critical: true },
    ],
  });
  return {
    ca: authority.cert,
    async certify({ host = "127.0.0.1", expired = false } = {}) {
      const endsAt = Date.now() + (expired ? -60_000 : dayMs);
      const altName = /^[\d.]+$/.test(host)
        ? { type: 7 as const, ip: host }
        : { type: 2 as const, value: host };
      const { cert, private: key } = await generate([{ name: "commonName", value: `${name} ${host}` }], {
        ...strong,
        ca: { key: authority.private, cert: authority.cert },
        notBeforeDate: new Date(endsAt - 2 * dayMs),
        notAfterDate: new Date(endsAt),
        extensions: [
          { name: "basicConstraints", cA: false },
          { name: "keyUsage", digitalSignature: true },
          { name: "extKeyUsage", serverAuth: true, clientAuth: true },
          { name: "subjectAltName", altNames: [altName] },
        ],
      });
      return { certificate: cert, key, ca: authority.cert };
    },
  };
}
