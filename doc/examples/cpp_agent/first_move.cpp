// An agent that plays the first legal move of a role, in every lane.
//
//   ros2 run gdl_first_move first_move --ros-args -r __ns:=/match -p role:=x

#include <chrono>
#include <cstddef>
#include <memory>
#include <optional>
#include <string>

#include "gdl_msgs/msg/action.hpp"
#include "gdl_msgs/msg/state.hpp"
#include "rclcpp/rclcpp.hpp"

using gdl_msgs::msg::Action;
using gdl_msgs::msg::State;

class FirstMove : public rclcpp::Node
{
public:
  FirstMove()
  : Node("first_move")
  {
    const std::string role = declare_parameter<std::string>("role", "x");
    publisher_ = create_publisher<Action>(role + "/action", rclcpp::QoS(100).reliable());
    // Transient local: a node that comes late receives the open question.
    subscription_ = create_subscription<State>(
      role + "/state", rclcpp::QoS(1).reliable().transient_local(),
      [this](const State & state) {answer(state);});
    timer_ = create_wall_timer(std::chrono::milliseconds(20), [this]() {send();});
  }

private:
  void answer(const State & state)
  {
    const std::string name = get_fully_qualified_name();
    if (!state.agent.empty() && state.agent != name) {
      return;  // Another agent owns the role, and this one stands by.
    }
    Action action;
    action.header = state.header;
    action.tick = state.tick;
    action.role = state.role;
    action.agent = name;
    action.action.assign(state.lanes, Action::ACTION_NONE);
    const std::size_t width = state.legal.size() / state.lanes;
    bool is_asked = false;
    for (std::size_t lane = 0; lane < state.lanes; ++lane) {
      if (!is_set(&state.to_move[0], lane)) {
        continue;  // Nothing to decide in this lane.
      }
      is_asked = true;
      for (std::size_t index = 0; index < 8 * width; ++index) {
        if (is_set(&state.legal[lane * width], index)) {
          action.action[lane] = static_cast<int>(index);
          break;
        }
      }
    }
    if (is_asked) {
      answer_ = action;
      send();
    }
  }

  // Send the answer once the environment listens: it may have been found by half.
  void send()
  {
    if (answer_ && publisher_->get_subscription_count() > 0) {
      publisher_->publish(*answer_);
      answer_.reset();
    }
  }

  // Bits are packed: the first of eight is the least significant one.
  static bool is_set(const unsigned char * bits, std::size_t index)
  {
    return (bits[index / 8] >> (index % 8)) & 1;
  }

  rclcpp::Publisher<Action>::SharedPtr publisher_;
  rclcpp::Subscription<State>::SharedPtr subscription_;
  rclcpp::TimerBase::SharedPtr timer_;
  std::optional<Action> answer_;
};

int main(int argc, char ** argv)
{
  rclcpp::init(argc, argv);
  rclcpp::spin(std::make_shared<FirstMove>());
  rclcpp::shutdown();
  return 0;
}
