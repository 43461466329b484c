/// The types of all features, in the order in which `onefixd check` reports their problems.
package let featureTypes: [any ListedFeature.Type] = [
  ConsoleFeature.self, ListenFeature.self, MQTTFeature.self, HTTPFeature.self, FileFeature.self, SerialFeature.self,
  GPSDFeature.self, NMEAFeature.self, TimeFeature.self, MetricsFeature.self, PageFeature.self, DisplayFeature.self,
  SoundFeature.self,
]
