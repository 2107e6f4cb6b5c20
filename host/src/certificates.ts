import { join } from "node:path";

import { checkedTls, TlsError, type RpcTls } from "@hostledger/rpc";
import { ConfigurationError, defined, writeFileAtomically, type Logger } from "@hostledger/runtime";

import type { Configuration } from "./configuration/index.ts";
import { readNamedFile } from "./configuration/named-file.ts";

/** The process's certificate and its trusted authorities. Both may be renewed while the process runs. */
export interface Certificates {
  /** Returns the certificates in force; undefined if the configuration names none, which never changes. */
  current(): RpcTls | undefined;
  /** Registers a function that gets renewed certificates, which apply to new connections. */
  onRenewed(use: (tls: RpcTls) => void): void;
}

/** Locations of the certificates, and the trigger to read them again. */
export interface CertificateOptions {
  readonly configuration: Configuration;
  readonly logger: Logger;
  /** Calls back at every SIGHUP: files that may be renewed are to be read again. Without it they never are. */
  readonly onHangup?: (listener: () => void) => void;
}

/**
 * Reads the configured files, and again at every SIGHUP. Unusable new files change nothing and are logged.
 * @throws ConfigurationError if a file is missing or unusable: unreadable, expired, or the key of another
 * certificate.
 */
export function openCertificates({ configuration, logger, onHangup }: CertificateOptions): Certificates {
  let tls = tlsOf(configuration);
  const uses: ((tls: RpcTls) => void)[] = [];
  const readAgain = (): void => {
    try {
      const renewed = tlsOf(configuration);
      if (renewed === undefined) return;
      tls = renewed;
      for (const use of uses) use(renewed);
      logger.info("the certificates were read again: new connections get them");
    } catch (error) {
      const reason = error instanceof Error ? error.message : String(error);
      logger.error({ reason }, `the certificates stay as they were: ${reason}`);
    }
  };
  // Without certificates a hang-up keeps its meaning: the terminal was closed, and the process ends.
  if (tls !== undefined) onHangup?.(readAgain);
  return {
    current: () => tls,
    onRenewed: (use) => {
      uses.push(use);
    },
  };
}

/** Returns TLS options for the staff listener, which asks for no client certificate because staff use tokens. */
export function staffTls(tls: RpcTls): RpcTls;
export function staffTls(tls: RpcTls | undefined): RpcTls | undefined;
export function staffTls(tls: RpcTls | undefined): RpcTls | undefined {
  return tls === undefined ? undefined : { certificate: tls.certificate, key: tls.key };
}

/** Leaves the certificate where the command line of this machine finds it, as it finds the staff credential. */
export function publishCertificate(data: string, certificates: Certificates): void {
  const publish = ({ certificate }: RpcTls): void => {
    writeFileAtomically(join(data, "admin.crt"), certificate, 0o600);
  };
  const tls = certificates.current();
  if (tls !== undefined) publish(tls);
  certificates.onRenewed(publish);
}

function tlsOf({ tlsCertificate, tlsKey, tlsCa }: Configuration): RpcTls | undefined {
  if (tlsCertificate === undefined && tlsKey === undefined && tlsCa === undefined) return undefined;
  if (tlsCertificate === undefined || tlsKey === undefined)
    throw new ConfigurationError(["HOSTLEDGER_TLS_CERTIFICATE and HOSTLEDGER_TLS_KEY go together."]);
  const tls = {
    certificate: pem("HOSTLEDGER_TLS_CERTIFICATE", tlsCertificate),
    key: pem("HOSTLEDGER_TLS_KEY", tlsKey),
    ...defined({ ca: tlsCa === undefined ? undefined : pem("HOSTLEDGER_TLS_CA", tlsCa) }),
  };
  try {
    checkedTls(tls);
    return tls;
  } catch (error) {
    if (error instanceof TlsError) throw new ConfigurationError([error.message]);
    throw error;
  }
}

function pem(variable: string, path: string): string {
  const text = readNamedFile(variable, path);
  if (!text.includes("-----BEGIN "))
    throw new ConfigurationError([`${variable} names no PEM file: ${path}.`]);
  return text;
}
