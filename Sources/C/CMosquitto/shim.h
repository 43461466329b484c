// The client library of the Mosquitto broker. (libmosquitto 2.0, mosquitto.h)
#ifndef ONEFIX_CMOSQUITTO_H
#define ONEFIX_CMOSQUITTO_H

#include <mosquitto.h>
#include <mqtt_protocol.h>

#endif
