// @ts-check
import { defineConfig, globalIgnores } from "eslint/config";
import tseslint from "typescript-eslint";

/** Tests, their fixtures and the cases that contract suites share. */
const testFiles = [
  "**/*.spec.ts",
  "**/*.fixture.ts",
  "**/*.contract.ts",
  "**/testing/**",
  "**/contract/**",
  "test/**",
];

/** A cast gives data from outside its type, so it stands only where data is decoded, next to what proves it. */
const filesThatMayCast = [
  "**/*codec*.ts",
  // Rows of STRICT tables, which were made from the definitions that the row types come from.
  "packages/projections/src/sqlite/sqlite-connection.ts",
];

const noWideGenerics = {
  selector: "TSTypeParameterDeclaration[params.length>3]",
  message: "At most three type parameters: more of them say that two ideas live in one type.",
};
const noCasts = {
  selector: "TSAsExpression:not([typeAnnotation.typeName.name='const']), TSTypeAssertion",
  message: "No casts outside *codec*.ts: parse the value, narrow it, or let the type say what is true.",
};
/** `...{ a, b }` says what `a, b` says, as `...[a, b]` does, and is written for the sake of where lines break. */
const noLayoutTricks = {
  selector: "SpreadElement > :matches(ObjectExpression, ArrayExpression)",
  message: "Write what is in the braces, without a spread.",
};
const noSwitchedOffTests = {
  selector:
    "MemberExpression[object.name=/^(it|test|describe|suite)$/][property.name=/^(skip|only|todo|skipIf|runIf|fails)$/]",
  message: "A test runs, always and everywhere, or is deleted.",
};
/** Time is injected, waiting too: what waits by the machine's timers cannot be tested without waiting. */
const timersAreOfRuntime =
  "Only packages/runtime touches timers: wait by the clock that is handed in, or by @hostledger/runtime/async.";
const timerNames = ["setTimeout", "setInterval", "setImmediate"];
const noTimers = {
  globals: timerNames.map((name) => ({ name, message: timersAreOfRuntime })),
  properties: [
    ...timerNames.map((property) => ({ object: "globalThis", property, message: timersAreOfRuntime })),
    { object: "AbortSignal", property: "timeout", message: timersAreOfRuntime },
    { object: "performance", property: "now", message: timersAreOfRuntime },
    { object: "Atomics", property: "wait", message: timersAreOfRuntime },
  ],
  imports: ["timers", "timers/promises", "node:timers", "node:timers/promises"].map((name) => ({
    name,
    message: timersAreOfRuntime,
  })),
};

/** Where timers are touched. */
const filesWithTimers = [
  "packages/runtime/src/**",
  // It measures the machine, and must not measure a clock of ours instead.
  "test/bench/**",
];

const noClockInCore = {
  selector: "NewExpression[callee.name='Date'][arguments.length=0]",
  message: "Core has no clock: the time arrives in the command.",
};

export default defineConfig(
  globalIgnores(["**/node_modules/", "packages/protocol/src/gen/", "coverage/", "data/"]),
  {
    files: ["**/*.ts"],
    extends: [tseslint.configs.strictTypeChecked, tseslint.configs.stylisticTypeChecked],
    languageOptions: { parserOptions: { projectService: true, tsconfigRootDir: import.meta.dirname } },
    linterOptions: { reportUnusedDisableDirectives: "error" },
    rules: {
      eqeqeq: "error",
      "max-lines-per-function": ["error", { max: 70, skipBlankLines: true, skipComments: true }],
      "max-lines": ["error", { max: 300 }],
      "no-restricted-syntax": ["error", noWideGenerics, noCasts, noLayoutTricks],
      "@typescript-eslint/consistent-type-imports": "error",
      "@typescript-eslint/no-confusing-void-expression": ["error", { ignoreArrowShorthand: true }],
      // Its authors mark it so that it stands out: it is for providers on this machine alone (configuration/safe-url.ts).
      "@typescript-eslint/no-deprecated": [
        "error",
        { allow: [{ from: "package", package: "openid-client", name: "allowInsecureRequests" }] },
      ],
      "@typescript-eslint/no-unused-vars": [
        "error",
        { argsIgnorePattern: "^_", varsIgnorePattern: "^_", caughtErrors: "all", ignoreRestSiblings: true },
      ],
      "@typescript-eslint/switch-exhaustiveness-check": [
        "error",
        { considerDefaultExhaustiveForUnions: true, requireDefaultForNonUnion: true },
      ],
    },
  },
  {
    files: ["**/*.ts"],
    ignores: filesWithTimers,
    rules: {
      "no-restricted-globals": ["error", ...noTimers.globals],
      "no-restricted-properties": ["error", ...noTimers.properties],
      "no-restricted-imports": ["error", { paths: noTimers.imports }],
    },
  },
  {
    files: filesThatMayCast,
    rules: { "no-restricted-syntax": ["error", noWideGenerics, noLayoutTricks] },
  },
  {
    files: ["packages/core/src/**/*.ts"],
    rules: {
      "no-restricted-globals": [
        "error",
        "process",
        "console",
        "crypto",
        "fetch",
        "performance",
        "setTimeout",
        "setInterval",
        "setImmediate",
        "queueMicrotask",
      ],
      "no-restricted-properties": [
        "error",
        ...noTimers.properties,
        { object: "Date", property: "now", message: noClockInCore.message },
        {
          object: "Math",
          property: "random",
          message: "Core has no randomness: new ids arrive in the command.",
        },
      ],
      "no-restricted-syntax": ["error", noWideGenerics, noCasts, noClockInCore, noLayoutTricks],
    },
  },
  {
    files: ["packages/core/src/**/*codec*.ts"],
    rules: { "no-restricted-syntax": ["error", noWideGenerics, noClockInCore, noLayoutTricks] },
  },
  {
    files: testFiles,
    rules: {
      // A describe block is as long as its cases.
      "max-lines-per-function": "off",
      "max-lines": ["error", { max: 400 }],
      // Specs hand in on purpose what the types forbid, and matchers such as expect.any() are untyped.
      "no-restricted-syntax": ["error", noWideGenerics, noSwitchedOffTests, noLayoutTricks],
      "@typescript-eslint/no-unsafe-assignment": "off",
      // Deciders are three pure functions in an object; specs take them out of it.
      "@typescript-eslint/unbound-method": "off",
    },
  },
  {
    // The verifier of bundles has no ending, so that it runs as a module and as a CommonJS file.
    files: ["**/*.{js,mjs}", "tools/verify-bundle"],
    rules: { eqeqeq: "error", "prefer-const": "error" },
  },
);
