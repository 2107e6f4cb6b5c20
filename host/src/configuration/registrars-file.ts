import { path } from "@hostledger/runtime";
import { z } from "zod";

import { eppAddress, eppUser, registrarName, registryNames } from "./epp.settings.ts";

/** Registrars that may stand in the file. */
const registrarLimit = 64;

const epp = z.strictObject({
  adapter: z.literal("epp"),
  url: eppAddress(),
  user: eppUser(),
  /** The registrar's identifier at the registry (`clID`), where it is not the user that logs in. */
  clientId: eppUser().optional(),
  /** The file with the password; this file contains no secrets. */
  passwordFile: path(),
  /** PEM file of the authority that the registry's certificate comes from; the machine's own without it. */
  ca: path().optional(),
  certificate: path().optional(),
  keyFile: path().optional(),
  sessions: z.int().min(1).max(64).default(4),
  /** Profile of the registry. */
  registry: z.enum(registryNames).default("generic"),
});

/** The file of registrars that an operator writes. */
export const registrarsFile = z
  .record(
    registrarName(),
    z.discriminatedUnion("adapter", [z.strictObject({ adapter: z.literal("sandbox") }), epp]),
  )
  .superRefine((registrars, context) => {
    const all = Object.entries(registrars);
    if (all.length > registrarLimit)
      context.addIssue({ code: "custom", message: `must be ${String(registrarLimit)} registrars at most` });
    for (const [name, entry] of all) {
      if ((entry.adapter === "sandbox") !== (name === "sandbox"))
        context.addIssue({
          code: "custom",
          message: "the simulated registrar, and no other, is called sandbox",
          path: [name],
        });
      if (entry.adapter === "epp" && (entry.certificate === undefined) !== (entry.keyFile === undefined))
        context.addIssue({ code: "custom", message: "certificate and keyFile go together", path: [name] });
    }
  });

/** Content of the file: access to each registrar, by its name in events, in the price list and for customers. */
export type RegistrarsFile = z.output<typeof registrarsFile>;

export type EppEntry = Extract<RegistrarsFile[string], { adapter: "epp" }>;
