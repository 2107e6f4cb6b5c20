import { readFileSync } from "node:fs";

import type { Credentials, EndPoint, NodePreference } from "@eventstore/db-client";
import {
  type ConnectionOptions,
  parseConnectionString,
} from "@eventstore/db-client/dist/Client/parseConnectionString.js";
import { type ChannelCredentials, credentials } from "@grpc/grpc-js";
import { defined } from "@hostledger/runtime";

import { EventStoreDbError } from "./client-failure.ts";

export interface ConnectionSettings {
  /** One server, or several whose gossip names the best node. */
  readonly endpoints: readonly [EndPoint, ...EndPoint[]];
  /** True if gossip finds the node to use. */
  readonly discovers: boolean;
  readonly discovery: {
    readonly discoveryInterval?: number;
    readonly gossipTimeout?: number;
    readonly maxDiscoverAttempts?: number;
    readonly nodePreference?: NodePreference;
  };
  readonly tls: boolean;
  readonly channel: ChannelCredentials;
  /** Sent over TLS only. */
  readonly user: Credentials | undefined;
  readonly connectionName: string | undefined;
  readonly keepAliveIntervalMs: number;
  readonly keepAliveTimeoutMs: number;
  /** Name of the server or servers for messages. */
  readonly name: string;
}

/** Options in the spelling of the client's parser, which ignores case, `_` and `-`. */
const knownOptions = new Set(
  [
    "tls tlsCAFile userCertFile userKeyFile connectionName defaultDeadline throwOnAppendFailure",
    "maxDiscoverAttempts discoveryInterval gossipTimeout nodePreference keepAliveInterval keepAliveTimeout",
  ].flatMap((line) => line.toLowerCase().split(" ")),
);
const keepAliveMs = 10_000;
/** The scheme's new name, since EventStoreDB became KurrentDB; the client's parser only knows the old name. */
const kurrentScheme = /^kurrentdb(?=(\+discover)?:\/\/)/;

/**
 * Reads a connection string as EventStoreDB's client does.
 * @throws EventStoreDbError `connection-string` or `certificate` (an unreadable file); the message hides the
 * password.
 */
export function readConnectionString(connectionString: string): ConnectionSettings {
  refuseUnknownOptions(connectionString);
  const options = parse(connectionString.replace(kurrentScheme, "esdb"));
  const [first, ...others] = options.hosts;
  if (first === undefined || options.hosts.some(({ address }) => /[@/]/.test(address))) {
    throw invalid(connectionString, "it has to be esdb://user:password@host:port?option=value");
  }
  const tls = options.tls !== false;
  const { discoveryInterval, gossipTimeout, maxDiscoverAttempts, nodePreference } = options;
  return {
    endpoints: [first, ...(options.dnsDiscover ? [] : others)],
    discovers: options.dnsDiscover || others.length > 0,
    discovery: {
      ...defined({ discoveryInterval, gossipTimeout, maxDiscoverAttempts, nodePreference }),
    },
    tls,
    channel: tls ? secureChannel(options) : credentials.createInsecure(),
    user: options.defaultCredentials,
    connectionName: options.connectionName,
    keepAliveIntervalMs: options.keepAliveInterval ?? keepAliveMs,
    keepAliveTimeoutMs: options.keepAliveTimeout ?? keepAliveMs,
    name: options.hosts.map(({ address, port }) => `${address}:${String(port)}`).join(", "),
  };
}

/** Returns the settings for a connection to the leader, even if another node is preferred. */
export function leaderOf(settings: ConnectionSettings): ConnectionSettings {
  return { ...settings, discovery: { ...settings.discovery, nodePreference: "leader" } };
}

export function hidePassword(connectionString: string): string {
  return connectionString.replace(/(\/\/[^:/?]*:).*@/, "$1***@");
}

function parse(connectionString: string): ConnectionOptions {
  try {
    return parseConnectionString(connectionString);
  } catch (error) {
    const expected: unknown = error instanceof Error ? Reflect.get(error, "expected") : undefined;
    const hint = typeof expected === "string" ? expected : "esdb://user:password@host:port?option=value";
    throw invalid(connectionString, `expected is ${hint}`);
  }
}

/** The client's parser ignores an unknown option and prints the whole string with its password. */
function refuseUnknownOptions(connectionString: string): void {
  const query = connectionString.includes("?")
    ? connectionString.slice(connectionString.lastIndexOf("?") + 1)
    : "";
  for (const pair of query.split("&")) {
    const [key = ""] = pair.split("=");
    const known = key.trim().toLowerCase().replaceAll(/[_-]/g, "");
    if (known === "tlsverifycert") {
      throw invalid(
        connectionString,
        "tlsVerifyCert is not supported; name the authority's certificate with tlsCAFile",
      );
    }
    if (key !== "" && !knownOptions.has(known)) throw invalid(connectionString, `it has no option ${key}`);
  }
}

function secureChannel({ tlsCAFile, userCertFile, userKeyFile }: ConnectionOptions): ChannelCredentials {
  if ((userCertFile === undefined) !== (userKeyFile === undefined)) {
    throw new EventStoreDbError(
      "connection-string",
      "userCertFile and userKeyFile are given together or not at all",
    );
  }
  const [authority, key, certificate] = [tlsCAFile, userKeyFile, userCertFile].map(readPem);
  try {
    return credentials.createSsl(authority ?? null, key ?? null, certificate ?? null);
  } catch (error) {
    const text = error instanceof Error ? error.message : String(error);
    throw new EventStoreDbError("certificate", `the certificates for EventStoreDB cannot be used: ${text}`, {
      cause: error,
    });
  }
}

function readPem(path: string | undefined): Buffer | undefined {
  if (path === undefined) return undefined;
  try {
    return readFileSync(path);
  } catch (error) {
    throw new EventStoreDbError("certificate", `the certificate file ${path} cannot be read`, {
      cause: error,
    });
  }
}

function invalid(connectionString: string, why: string): EventStoreDbError {
  return new EventStoreDbError(
    "connection-string",
    `${hidePassword(connectionString)} is no connection string of EventStoreDB: ${why}`,
  );
}
