import { existsSync, mkdirSync } from "node:fs";
import { join } from "node:path";

import { writeFileAtomically } from "@hostledger/runtime";
import { certify, openAuthority } from "@hostledger/runtime/certificates";
import { InvalidArgumentError, type Command } from "commander";

import { parseText } from "../arguments/value-parsers.ts";
import type { CommandContext } from "../command-context.ts";
import { fileReason } from "../error-code.ts";
import { refused } from "../exit-code.ts";
import { madeText, reply } from "../output/reply.ts";

/** A requested certificate: `NAME=HOST,HOST`. */
interface RequestedCertificate {
  readonly name: string;
  readonly hosts: readonly string[];
}

/** Common name by which nodes of a cluster recognise each other (KurrentDB, "Certificate reserved node common name"). */
const commonName = "eventstoredb-node";

/** Adds `hostledger certificates`, which creates an authority and certificates of parts and nodes. */
export function addCertificatesCommand(program: Command, { io }: CommandContext): void {
  program
    .command("certificates")
    .description("create an authority and certificates for parts and nodes; keeps files that exist")
    .argument(
      "<name=hosts...>",
      "file name of a certificate, and its host names and addresses",
      parseRequested,
    )
    .requiredOption(
      "--directory <directory>",
      "directory of ca.crt, ca.key, NAME.crt and NAME.key",
      parseText,
    )
    .option("--json", "print one JSON document")
    .action(
      async (
        requested: readonly RequestedCertificate[],
        { directory, json }: { readonly directory: string; readonly json?: boolean },
      ) => {
        const made = await filling(directory, requested);
        reply(io, json, {
          document: { directory, made },
          text: madeText("certificates", made, { directory, made: made.join(", ") }),
        });
      },
    );
}

/** @returns the names that got a new certificate */
async function filling(
  directory: string,
  requested: readonly RequestedCertificate[],
): Promise<readonly string[]> {
  const file = (name: string): string => join(directory, name);
  try {
    mkdirSync(directory, { recursive: true, mode: 0o700 });
    const authority = await openAuthority(
      { certificate: file("ca.crt"), key: file("ca.key") },
      "Hostledger CA",
    );
    const made = requested.filter(({ name }) => !existsSync(file(`${name}.crt`)));
    for (const { name, hosts } of made) {
      const { certificate, key } = await certify(authority, { commonName, hosts, isClient: true });
      writeFileAtomically(file(`${name}.key`), key, 0o600);
      writeFileAtomically(file(`${name}.crt`), certificate, 0o644);
    }
    return made.map(({ name }) => name);
  } catch (error) {
    throw refused(`The certificates cannot be made in ${directory}: ${fileReason(error)}.`, error);
  }
}

const namePattern = /^[a-z0-9][a-z0-9_-]{0,62}$/;
const hostPattern = /^[A-Za-z0-9.:_-]{1,253}$/;
const mostHosts = 32;

function parseRequested(
  text: string,
  earlier: readonly RequestedCertificate[] = [],
): readonly RequestedCertificate[] {
  const [name = "", list = "", ...rest] = text.split("=");
  const hosts = list.split(",");
  const isSound = namePattern.test(name) && name !== "ca" && rest.length === 0 && hosts.length <= mostHosts;
  if (!isSound || !hosts.every((host) => hostPattern.test(host)))
    throw new InvalidArgumentError(
      `It must be NAME=HOST,HOST… with a name of lower-case letters and digits (not ca) and at most ${String(mostHosts)} host names or addresses.`,
    );
  return [...earlier, { name, hosts }];
}
