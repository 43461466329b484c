import Base
import CGpiod
import Glibc
import Hardware
import OperatingSystem

/// A GPIO line that this program has requested from the kernel. The deinitializer releases the GPIO line.
@safe struct GPIOLine: ~Copyable, Sendable {
  let location: LineLocation
  /// The request handle of the library libgpiod. Only one thread at a time may use the handle.
  private nonisolated(unsafe) let handle: OpaquePointer

  /// The name of this program in the output of `gpioinfo`, which lists used GPIO lines.
  static let consumer = "onefix"

  enum Use: Sendable {
    /// An input with edge detection. If the kernel supports debouncing, the kernel ignores levels that are shorter than
    /// `debounce`.
    case edges(debounce: Duration)
    case input
    case output(isActive: Bool)
  }

  init(_ location: LineLocation, for use: Use) throws(HardwareError) {
    let spec = location.spec
    var handle: OpaquePointer?
    let result = unsafe GPIOLine.consumer.withCString { consumer in
      var settings = unsafe onefix_gpio_settings(
        consumer: consumer, is_active_low: spec.isActiveLow ? 1 : 0, bias: spec.bias.native, debounce_us: 0)
      switch use {
      case .edges(let debounce):
        unsafe settings.debounce_us = UInt32(max(0, debounce / .microseconds(1)))
        return unsafe onefix_gpio_request_input(location.path, location.offset, &settings, 1, &handle)
      case .input:
        return unsafe onefix_gpio_request_input(location.path, location.offset, &settings, 0, &handle)
      case .output(let isActive):
        return unsafe onefix_gpio_request_output(location.path, location.offset, &settings, isActive ? 1 : 0, &handle)
      }
    }
    guard result >= 0, let handle = unsafe handle else {
      throw GPIOLine.refusal("request", "GPIO line \(location)", -result, holder: location.consumer)
    }
    self.location = location
    unsafe self.handle = handle
  }

  deinit { unsafe onefix_gpio_release(handle) }

  /// Returns the file descriptor of the GPIO line. The descriptor is readable when level changes (edges) can be read.
  func descriptor() throws(HardwareError) -> Int32 {
    try check("read", unsafe onefix_gpio_descriptor(handle))
  }

  func isActive() throws(HardwareError) -> Bool {
    let value = try check("read", unsafe onefix_gpio_get(handle))
    return value != 0
  }

  func set(_ isActive: Bool) throws(HardwareError) {
    _ = try check("drive", unsafe onefix_gpio_set(handle, isActive ? 1 : 0))
  }

  /// Reads the pending level changes (edges), oldest first. If no level change is pending, the function waits for one.
  func readEdges() throws(HardwareError) -> EdgeRecords {
    let capacity = onefix_gpio_queue_length()
    // The C function writes at most `capacity` elements, the size of the array.
    var edges = [onefix_gpio_edge](repeating: onefix_gpio_edge(), count: Int(capacity))
    let count = try check("read", unsafe onefix_gpio_read_edges(handle, &edges, capacity))
    let records = edges.prefix(Int(count)).map { edge in
      EdgeRecords.Record(
        edge: Edge(
          edge.is_active != 0 ? .active : .inactive,
          at: MonotonicInstant(nanoseconds: Int64(clamping: edge.timestamp_ns))),
        sequence: edge.sequence == 0 ? nil : edge.sequence)
    }
    return EdgeRecords(records: records, mayHaveOverflowed: count == Int32(capacity))
  }

  private func check(_ operation: String, _ result: Int32) throws(HardwareError) -> Int32 {
    guard result >= 0 else { throw GPIOLine.refusal(operation, "GPIO line \(location)", -result) }
    return result
  }

  static func refusal(
    _ operation: String, _ object: String, _ number: Int32, holder: String? = nil
  ) -> HardwareError {
    let cause = systemErrorText(number)
    return switch number {
    case EBUSY:
      HardwareError(
        .busy, operation, object, cause: cause,
        remedy: holder.map { "'\($0)' uses it" } ?? "is another program using it? see gpioinfo")
    case EPERM: HardwareError(.notPermitted, operation, object, cause: cause, remedy: HardwareError.sandboxRemedy)
    case EACCES:
      HardwareError(
        .notPermitted, operation, object, cause: cause,
        remedy: "add the user to the group gpio, or assign the device to a group with a udev rule")
    case ENODEV, ENXIO, ENOENT, ENOTTY:
      HardwareError(.absent, operation, object, cause: cause, remedy: "was the chip removed? see gpiodetect")
    case EINVAL:
      HardwareError(
        .unsuitable, operation, object, cause: cause,
        remedy: "does the chip have this line, and support bias resistors and edge detection?")
    default: HardwareError(.failed, operation, object, cause: cause)
    }
  }
}

extension LineSpec.Bias {
  fileprivate var native: onefix_gpio_bias {
    switch self {
    case .asIs: ONEFIX_GPIO_BIAS_AS_IS
    case .disabled: ONEFIX_GPIO_BIAS_DISABLED
    case .pullUp: ONEFIX_GPIO_BIAS_PULL_UP
    case .pullDown: ONEFIX_GPIO_BIAS_PULL_DOWN
    }
  }
}
