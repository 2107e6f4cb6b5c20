import { oneOf, path, settings, text, wholeNumber, type Environment } from "@hostledger/runtime";

const milliseconds = (most: number) => wholeNumber(0, most);

const yesOrNo = text("must be yes or no", /^(yes|no|true|false|1|0)$/).transform((said) =>
  ["yes", "true", "1"].includes(said),
);

/** How long simulated providers may keep quiet about an order that they carry out after all. */
const simulatedQuietMs = 10_000;

/** The same of real ones. */
const realQuietMs = 600_000;

/** Who registers, answers for names and runs servers, and how the simulated ones behave. */
export const providerSettings = {
  registrar: oneOf("sandbox", "epp")
    .default("sandbox")
    .register(settings, { variable: "HOSTLEDGER_REGISTRAR", meaning: "the registrar" }),
  registrarsFile: path().optional().register(settings, {
    variable: "HOSTLEDGER_REGISTRARS_FILE",
    meaning: "JSON file with registrars beside that one, which the price list chooses for an extension",
  }),
  dns: oneOf("sandbox", "powerdns")
    .default("sandbox")
    .register(settings, { variable: "HOSTLEDGER_DNS", meaning: "the DNS server" }),
  compute: oneOf("sandbox", "proxmox")
    .default("sandbox")
    .register(settings, { variable: "HOSTLEDGER_COMPUTE", meaning: "the compute cluster" }),
  sandboxData: path().optional().register(settings, {
    variable: "HOSTLEDGER_SANDBOX_DATA",
    meaning:
      "directory in which simulated providers keep what they hold, where whole instances side by side share them; by default the data directory",
  }),
  sandboxLatencyMs: milliseconds(600_000).default(0).register(settings, {
    variable: "HOSTLEDGER_SANDBOX_LATENCY_MS",
    meaning: "how long every call of a simulated provider takes, in milliseconds",
  }),
  sandboxLimboMs: milliseconds(86_400_000).default(60_000).register(settings, {
    variable: "HOSTLEDGER_SANDBOX_LIMBO_MS",
    meaning: "how long an order of a name with `limbo` stays unsettled, in milliseconds",
  }),
  sandboxLateMs: milliseconds(86_400_000).default(5_000).register(settings, {
    variable: "HOSTLEDGER_SANDBOX_LATE_MS",
    meaning:
      "how long after the first question about it an order of a name with `late` is carried out, in milliseconds",
  }),
  sandboxDurable: yesOrNo.default(false).register(settings, {
    variable: "HOSTLEDGER_SANDBOX_DURABLE",
    meaning:
      "whether simulated providers remember their orders after a power cut, as real ones do; each write then waits for the disk",
  }),
  quietMs: milliseconds(86_400_000).default(simulatedQuietMs).register(settings, {
    variable: "HOSTLEDGER_QUIET_MS",
    meaning:
      'how long after an unanswered order "not held" must be said again before it counts, in milliseconds; 600000 unless all providers are simulated',
  }),
};

/** Where real providers fulfil orders, silence must last longer before "not held" counts. @param said by setting. */
export function providerDefaults(said: Environment): Environment {
  const isReal =
    said.registrarsFile !== undefined ||
    [said.registrar, said.compute].some((provider) => (provider ?? "sandbox") !== "sandbox");
  return isReal ? { quietMs: String(realQuietMs) } : {};
}

/** How long providers are waited for. */
export const providerLimitSettings = {
  providerTimeoutMs: wholeNumber(1, 600_000).default(5_000).register(settings, {
    variable: "HOSTLEDGER_PROVIDER_TIMEOUT_MS",
    meaning: "how long an answer of a provider is waited for, in milliseconds",
  }),
  registrarChecksPerMinute: wholeNumber(0, 60_000).default(60).register(settings, {
    variable: "HOSTLEDGER_REGISTRAR_CHECKS",
    meaning:
      "how many domains a minute the registrar is asked about, round and round, whether it still holds them; 0 asks never",
  }),
  comparisonHours: wholeNumber(0, 8_760).default(24).register(settings, {
    variable: "HOSTLEDGER_RECONCILE_HOURS",
    meaning:
      "hours from one comparison of the books with what providers hold to the next; 0 compares never by itself",
  }),
};
