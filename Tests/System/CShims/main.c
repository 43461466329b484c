#include "check.h"

int main(void) {
  check_gpio();
  check_i2c();
  check_mosquitto();
  check_peer();
  check_serial();
  check_sqlite();
  check_toml();
  return 0;
}
