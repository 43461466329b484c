#ifndef ONEFIX_FUZZER_H
#define ONEFIX_FUZZER_H

/// The package manager names every program's entry after its target; this one hands over to libFuzzer.
int FuzzDecoder_main(int count, char **arguments);

#endif
