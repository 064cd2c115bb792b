/** The environment variable with the path of the wiring for a test process. */
export const wiringVariable = "FW_TEST_WIRING";
