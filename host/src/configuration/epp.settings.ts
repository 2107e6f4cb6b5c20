import type { RegistryName } from "@hostledger/providers";
import { oneOf, settings, text, wholeNumber } from "@hostledger/runtime";

const pem = () => text("must be a path of a PEM file, or its content", /^[^\0]{1,65536}$/);

export const eppAddress = () =>
  text(
    "must be an address such as epps://epp.registry.example:700",
    /^epps:\/\/(?:[A-Za-z0-9.-]{1,253}|\[[0-9a-fA-F:.]{2,45}\])(?::\d{1,5})?\/?$/,
  ).transform((url) => url.replace(/\/$/, ""));

/** The name that events, customers and the price list have for a registrar. */
export const registrarName = () => text("must be 1 to 100 characters", /^[^\p{C}]{1,100}$/u);

/** The registrar's identifier at the registry (RFC 5730 §4.1, `clIDType`). */
export const eppUser = () => text("must be 3 to 16 characters", /^[^\p{C}\s]{3,16}$/u);

/** Registries with a profile of their own. */
export const registryNames = ["generic", "verisign"] as const satisfies readonly RegistryName[];

export const eppSettings = {
  eppUrl: eppAddress()
    .optional()
    .register(settings, { variable: "HOSTLEDGER_EPP_URL", meaning: "address of the registry's EPP server" }),
  eppName: registrarName().optional().register(settings, {
    variable: "HOSTLEDGER_EPP_NAME",
    meaning:
      "name of this registrar for customers and in events; never change it; by default the host of the EPP server",
  }),
  eppUser: eppUser().optional().register(settings, {
    variable: "HOSTLEDGER_EPP_USER",
    meaning: "user name at the registry, usually the registrar's identifier",
  }),
  eppClientId: eppUser().optional().register(settings, {
    variable: "HOSTLEDGER_EPP_CLIENT_ID",
    meaning: "registrar's identifier (clID) at the registry, if it is not the user name",
  }),
  eppPassword: text("must be 6 to 255 characters", /^[^\p{C}]{6,255}$/u)
    .optional()
    .register(settings, {
      variable: "HOSTLEDGER_EPP_PASSWORD",
      meaning: "the registrar's password at the registry",
      secret: true,
    }),
  eppCa: pem().optional().register(settings, {
    variable: "HOSTLEDGER_EPP_CA",
    meaning:
      "PEM file of the authority that signed the registry's certificate; by default the machine's authorities",
  }),
  eppCertificate: pem().optional().register(settings, {
    variable: "HOSTLEDGER_EPP_CERTIFICATE",
    meaning: "PEM file with the client certificate for the registry",
  }),
  eppKey: pem().optional().register(settings, {
    variable: "HOSTLEDGER_EPP_KEY",
    meaning: "PEM file with the key of that certificate",
    secret: true,
  }),
  eppRegistry: oneOf(...registryNames)
    .default("generic")
    .register(settings, {
      variable: "HOSTLEDGER_EPP_REGISTRY",
      meaning: "profile of the registry: generic follows the RFCs, verisign has no contacts",
    }),
  eppSessions: wholeNumber(1, 64).default(4).register(settings, {
    variable: "HOSTLEDGER_EPP_SESSIONS",
    meaning: "maximum sessions of each process with the registry",
  }),
};
