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
    meaning: "JSON file with further registrars, which the price list selects for an extension",
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
      "directory of the simulated providers' data, for instances that share it; by default the data directory",
  }),
  sandboxLatencyMs: milliseconds(600_000).default(0).register(settings, {
    variable: "HOSTLEDGER_SANDBOX_LATENCY_MS",
    meaning: "delay of every call of a simulated provider, in milliseconds",
  }),
  sandboxLimboMs: milliseconds(86_400_000).default(60_000).register(settings, {
    variable: "HOSTLEDGER_SANDBOX_LIMBO_MS",
    meaning: "time for which an order of a name with `limbo` stays unknown, in milliseconds",
  }),
  sandboxLateMs: milliseconds(86_400_000).default(5_000).register(settings, {
    variable: "HOSTLEDGER_SANDBOX_LATE_MS",
    meaning:
      "time between the first question and the execution of an order of a name with `late`, in milliseconds",
  }),
  sandboxDurable: yesOrNo.default(false).register(settings, {
    variable: "HOSTLEDGER_SANDBOX_DURABLE",
    meaning: "whether simulated providers sync each write, so that orders survive a power cut",
  }),
  quietMs: milliseconds(86_400_000).default(simulatedQuietMs).register(settings, {
    variable: "HOSTLEDGER_QUIET_MS",
    meaning:
      'time after which "not held" must be repeated to count for an unanswered order, in milliseconds; 600000 unless all providers are simulated',
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
    meaning: "time limit of a call to a provider, in milliseconds",
  }),
  registrarChecksPerMinute: wholeNumber(0, 60_000).default(60).register(settings, {
    variable: "HOSTLEDGER_REGISTRAR_CHECKS",
    meaning: "domains a minute about which the registrar is asked whether it still holds them; 0 for none",
  }),
  comparisonHours: wholeNumber(0, 8_760).default(24).register(settings, {
    variable: "HOSTLEDGER_RECONCILE_HOURS",
    meaning: "hours between comparisons of the books with all providers; 0 for no comparison",
  }),
};
