/// The features of the daemon. Their order is that of the problems in the output of `onefixd check`.
package let featureTypes: [any Feature.Type] = [
  ConsoleFeature.self, ListenFeature.self, MQTTFeature.self, HTTPFeature.self, FileFeature.self, SerialFeature.self,
  GPSDFeature.self, NMEAFeature.self, TimeFeature.self, MetricsFeature.self, PageFeature.self, DisplayFeature.self,
  SoundFeature.self,
]
