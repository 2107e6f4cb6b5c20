import type { AddressInfo } from "node:net";

import { simpleParser, type ParsedMail } from "mailparser";
import { SMTPServer, type SMTPServerOptions } from "smtp-server";
import { onTestFinished } from "vitest";

/** A mail as the server took it. */
export interface TakenMail {
  readonly mail: ParsedMail;
  readonly to: readonly string[];
  readonly isEncrypted: boolean;
}

/** A mail server on this machine. */
export interface MailServer {
  readonly url: string;
  readonly port: number;
  readonly taken: TakenMail[];
  /** Addresses that spoke to it. */
  readonly connections: string[];
  /** Recipients that were named, one for each attempt. */
  readonly attempts: string[];
  /** Sets the answer to a recipient: an SMTP status, or undefined to accept. */
  answer(how: (attempt: number) => number | undefined): void;
  readonly stop: () => Promise<void>;
}

/** Starts a mail server; it ends with the test. */
export async function startMailServer(options: SMTPServerOptions = {}, port = 0): Promise<MailServer> {
  const server = await openMailServer(options, port);
  onTestFinished(server.stop);
  return server;
}

/** Starts a mail server; the caller must stop it. */
export async function openMailServer(options: SMTPServerOptions = {}, port = 0): Promise<MailServer> {
  const taken: TakenMail[] = [];
  const [attempts, connections]: [string[], string[]] = [[], []];
  let answer = (_attempt: number): number | undefined => undefined;
  const server = new SMTPServer({
    authOptional: true,
    disabledCommands: ["AUTH"],
    ...(options.key === undefined ? { hideSTARTTLS: true } : {}),
    onConnect({ remoteAddress }, callback) {
      connections.push(remoteAddress);
      callback();
    },
    onRcptTo({ address }, _session, callback) {
      attempts.push(address);
      const status = answer(attempts.length);
      if (status === undefined) callback();
      else callback(Object.assign(new Error("not now"), { responseCode: status }));
    },
    onData(stream, { envelope, secure }, callback) {
      const to = envelope.rcptTo.map(({ address }) => address);
      simpleParser(stream).then((mail) => {
        taken.push({ mail, to, isEncrypted: secure });
        callback();
      }, callback);
    },
    ...options,
  });
  // Connection errors of clients are not part of these tests.
  server.on("error", () => undefined);
  const { promise: listening, resolve, reject } = Promise.withResolvers<undefined>();
  const bound = server.listen(port, "127.0.0.1", () => {
    resolve(undefined);
  });
  bound.once("error", reject);
  await listening;
  const address = bound.address() as AddressInfo;
  let stopping: Promise<void> | undefined;
  const stop = (): Promise<void> => {
    const { promise, resolve: stopped } = Promise.withResolvers<undefined>();
    stopping ??= promise;
    server.close(() => {
      stopped(undefined);
    });
    return stopping;
  };
  return {
    url: `${options.secure === true ? "smtps" : "smtp"}://127.0.0.1:${String(address.port)}`,
    port: address.port,
    taken,
    attempts,
    connections,
    answer(how) {
      answer = how;
    },
    stop,
  };
}
