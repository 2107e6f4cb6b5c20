import { path, settings, text, wholeNumber } from "@hostledger/runtime";

/** The cluster of Proxmox VE behind `HOSTLEDGER_COMPUTE=proxmox`. */
export const proxmoxSettings = {
  proxmoxUrl: text(
    "must be an address such as https://pve1.example.com:8006, without user or path",
    /^https:\/\/[^\s/?#@]{1,255}$/,
  )
    .optional()
    .register(settings, {
      variable: "HOSTLEDGER_PROXMOX_URL",
      meaning: "address of the cluster's API, without /api2/json",
    }),
  proxmoxToken: text(
    "must be an API token such as user@realm!id=uuid",
    /^[\x21-\x7e]{1,128}@[\w.-]{1,64}![\w.-]{1,64}=[\da-f-]{36}$/i,
  )
    .optional()
    .register(settings, {
      variable: "HOSTLEDGER_PROXMOX_TOKEN",
      meaning: "API token of the cluster, user@realm!id=uuid",
      secret: true,
    }),
  proxmoxFingerprint: text(
    "must be a SHA-256 fingerprint of 32 pairs with colons between, such as openssl x509 -fingerprint -sha256 prints",
    /^(?:[\da-f]{2}:){31}[\da-f]{2}$/i,
  )
    .transform((pairs) => pairs.toUpperCase())
    .optional()
    .register(settings, {
      variable: "HOSTLEDGER_PROXMOX_FINGERPRINT",
      meaning:
        "SHA-256 of the only trusted certificate; without it an authority must have signed the certificate",
    }),
  proxmoxConfig: path().optional().register(settings, {
    variable: "HOSTLEDGER_PROXMOX_CONFIG",
    meaning: "JSON file with the cluster's templates, bridge, regions and addresses for servers",
  }),
  proxmoxTaskLimitMs: wholeNumber(1_000, 86_400_000).default(600_000).register(settings, {
    variable: "HOSTLEDGER_PROXMOX_TASK_LIMIT_MS",
    meaning: "time limit for making one server, in milliseconds; a clone copies a whole disk",
  }),
};
