"""A browser for tests: Chromium without a display. It reads commands and prints results as lines of JSON.

{"open": URL}, {"tab": URL}, {"back": true}   opens an address here or in a new tab; closes the tab
{"press": ["Tab", "a"]}                       presses keys in the focused element
{"run": "return 1"}                           runs a script
{"tree": true}, {"focus": true}               prints the accessibility tree or the focused element: role, name, properties
{"scheme": "dark"}                            sets the preferred colour scheme
{"language": "de"}                            sets the language that pages are asked for in
{"width": 320}                                sets the width of the window in CSS pixels
{"shot": PATH}                                saves a picture of the whole page
{"complaints": true}                          prints the errors in the console
"""

import base64
import json
import sys

from selenium import webdriver
from selenium.webdriver.chrome.service import Service
from selenium.webdriver.common.action_chains import ActionChains
from selenium.webdriver.common.keys import Keys

options = webdriver.ChromeOptions()
for word in [
    "--headless=new",
    # Tests may run as root and with little shared memory.
    "--no-sandbox",
    "--disable-dev-shm-usage",
    "--disable-gpu",
    "--no-proxy-server",
    "--disable-background-networking",
    "--accept-lang=en",
    "--window-size=900,1200",
]:
    options.add_argument(word)
options.set_capability("goog:loggingPrefs", {"browser": "ALL"})
driver = webdriver.Chrome(service=Service("/usr/bin/chromedriver"), options=options)


def told(nodes):
    return [
        {
            "role": node["role"]["value"],
            "name": node.get("name", {}).get("value", ""),
            "properties": {each["name"]: each["value"].get("value") for each in node.get("properties", [])},
        }
        for node in nodes
        if not node["ignored"]
    ]


def tree():
    return told(driver.execute_cdp_cmd("Accessibility.getFullAXTree", {})["nodes"])


def focus():
    there = driver.execute_cdp_cmd("Runtime.evaluate", {"expression": "document.activeElement"})["result"]
    order = {"objectId": there["objectId"], "fetchRelatives": False}
    return told(driver.execute_cdp_cmd("Accessibility.getPartialAXTree", order)["nodes"])


def prefer(scheme):
    features = [{"name": "prefers-color-scheme", "value": scheme}]
    driver.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": features})


def speak(language):
    driver.execute_cdp_cmd("Network.enable", {})
    driver.execute_cdp_cmd("Network.setExtraHTTPHeaders", {"headers": {"Accept-Language": language}})


def narrow(width):
    metrics = {"width": width, "height": 640, "deviceScaleFactor": 1, "mobile": False}
    driver.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", metrics)


def shoot(path):
    # Scroll bars would cut the right edge off.
    driver.execute_cdp_cmd("Emulation.setScrollbarsHidden", {"hidden": True})
    taken = driver.execute_cdp_cmd("Page.captureScreenshot", {"captureBeyondViewport": True})
    with open(path, "wb") as file:
        file.write(base64.b64decode(taken["data"]))


def press(keys):
    actions = ActionChains(driver, duration=0)
    for key in keys:
        held = key.removeprefix("Shift+")
        held = getattr(Keys, held.upper()) if len(held) > 1 else held
        if key.startswith("Shift+"):
            actions.key_down(Keys.SHIFT).send_keys(held).key_up(Keys.SHIFT)
        else:
            actions.send_keys(held)
    actions.perform()


def back():
    driver.close()
    driver.switch_to.window(driver.window_handles[0])


def tab(address):
    driver.switch_to.new_window("tab")
    driver.get(address)


def perform(order):
    for name, value in order.items():
        if name == "open":
            return driver.get(value)
        if name == "tab":
            return tab(value)
        if name == "back":
            return back()
        if name == "press":
            return press(value)
        if name == "run":
            return driver.execute_script(value)
        if name == "tree":
            return tree()
        if name == "focus":
            return focus()
        if name == "scheme":
            return prefer(value)
        if name == "language":
            return speak(value)
        if name == "width":
            return narrow(value)
        if name == "shot":
            return shoot(value)
        if name == "complaints":
            return [each["message"] for each in driver.get_log("browser")]
    raise ValueError(order)


try:
    print(json.dumps({"is": "there"}), flush=True)
    for line in sys.stdin:
        try:
            print(json.dumps({"is": perform(json.loads(line))}), flush=True)
        except Exception as error:  # Every error is reported to the test.
            print(json.dumps({"failed": str(error)}), flush=True)
finally:
    driver.quit()
