package import Authorization
package import Hardware
package import Languages
package import UBX

/// What a gateway is made of.
package struct Setup: Sendable {
  /// A button of the board.
  package struct Button: Sendable {
    package var profile: ButtonProfile
    package var input: any EdgeInput
    /// Presses it for that long and returns when the press has taken effect; nil for a button that only a finger moves.
    package var press: (@Sendable (Duration) async throws -> Void)?

    package init(
      profile: ButtonProfile, input: any EdgeInput, press: (@Sendable (Duration) async throws -> Void)? = nil
    ) {
      self.profile = profile
      self.input = input
      self.press = press
    }
  }

  /// As in `boat-7`.
  package var gateway: String
  /// In which people are addressed.
  package var language: Language
  /// Whether a display beside the button shows the texts of prompts.
  package var hasPromptDisplay: Bool
  package var board: String
  package var version: String
  package var buttons: [Button]
  package var indicatorProfile: IndicatorProfile
  package var indicator: any IndicatorOutput
  package var receiver: ReceiverSource
  /// What the receiver shall do; nil where it is left as it is.
  package var receiverSettings: ReceiverSettings?
  /// Switches the receiver's supply; nil where it is always on.
  package var receiverPower: (any PowerSwitch)?
  /// Why `PRESS` and `HOLD` are refused; nil where they are allowed.
  package var simulatedPressRefusal: String?
  package var authorization: Authorization.Configuration
  /// How apps are called to people, where that is not their id.
  package var appNames: [AppID: String]
  /// Apps that may prove themselves by a key.
  package var keyedApps: Set<AppID>
  /// Whether apps may have regions.
  package var allowsRegions: Bool
  /// What was found at the start that is not as it should be, by its code, as in `receiver-shared`.
  package var warnings: [String]

  /// How long entries of the log are kept.
  package var logRetention: Duration

  package init(
    gateway: String, language: Language = .english, hasPromptDisplay: Bool = false, board: String, version: String,
    buttons: [Button], indicatorProfile: IndicatorProfile,
    indicator: any IndicatorOutput, receiver: ReceiverSource, receiverSettings: ReceiverSettings? = nil,
    receiverPower: (any PowerSwitch)? = nil, simulatedPressRefusal: String?,
    authorization: Authorization.Configuration, appNames: [AppID: String] = [:],
    keyedApps: Set<AppID> = [], allowsRegions: Bool = false, warnings: [String] = [],
    logRetention: Duration = .seconds(400 * 86_400)
  ) {
    self.gateway = gateway
    self.language = language
    self.hasPromptDisplay = hasPromptDisplay
    self.board = board
    self.version = version
    self.buttons = buttons
    self.indicatorProfile = indicatorProfile
    self.indicator = indicator
    self.receiver = receiver
    self.receiverSettings = receiverSettings
    self.receiverPower = receiverPower
    self.simulatedPressRefusal = simulatedPressRefusal
    self.authorization = authorization
    self.appNames = appNames
    self.keyedApps = keyedApps
    self.allowsRegions = allowsRegions
    self.warnings = warnings
    self.logRetention = logRetention
  }
}
