/** The variable that tells a test's process where its wiring is. */
export const wiringVariable = "FW_TEST_WIRING";
