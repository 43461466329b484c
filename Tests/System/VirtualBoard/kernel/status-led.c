// SPDX-License-Identifier: GPL-2.0-only
/* The status LED of a board, as a device tree would describe it: leds-gpio of the kernel drives it through the GPIO
   line STATUS and exports it as /sys/class/leds/board:blue:status. The chip with that line must exist first. */
#include <linux/gpio/machine.h>
#include <linux/leds.h>
#include <linux/module.h>
#include <linux/platform_device.h>

static struct gpiod_lookup_table lines = {
	.dev_id = "leds-gpio",
	.table = {
		GPIO_LOOKUP_IDX("STATUS", U16_MAX, NULL, 0, GPIO_ACTIVE_HIGH),
		{ }
	},
};

static struct gpio_led leds[] = {
	{ .name = "board:blue:status", .default_state = LEDS_GPIO_DEFSTATE_OFF },
};

static const struct gpio_led_platform_data platform_data = {
	.num_leds = ARRAY_SIZE(leds),
	.leds = leds,
};

static struct platform_device *device;

static int __init start(void)
{
	gpiod_add_lookup_table(&lines);
	device = platform_device_register_data(NULL, "leds-gpio", PLATFORM_DEVID_NONE, &platform_data,
					       sizeof(platform_data));
	if (IS_ERR(device)) {
		gpiod_remove_lookup_table(&lines);
		return PTR_ERR(device);
	}
	return 0;
}
module_init(start);

static void __exit stop(void)
{
	platform_device_unregister(device);
	gpiod_remove_lookup_table(&lines);
}
module_exit(stop);

MODULE_DESCRIPTION("A status LED on a GPIO line");
MODULE_LICENSE("GPL");
